mod perft;
