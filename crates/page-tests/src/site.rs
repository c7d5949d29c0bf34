//! Where the page comes from: `ferz serve`, or a folder of static files.

use anyhow::{Result, bail};

use crate::server::PageServer;
use crate::static_site::StaticSite;

pub(crate) enum Site {
    Server(PageServer),
    Static(StaticSite),
}

impl Site {
    pub(crate) fn url(&self) -> String {
        match self {
            Site::Server(server) => server.url(),
            Site::Static(site) => site.url(),
        }
    }

    /// For scenarios of the server alone.
    pub(crate) fn server(&mut self) -> Result<&mut PageServer> {
        match self {
            Site::Server(server) => Ok(server),
            Site::Static(_) => bail!("this scenario needs `ferz serve`"),
        }
    }

    /// For scenarios of the static folder alone.
    pub(crate) fn folder(&self) -> Result<&StaticSite> {
        match self {
            Site::Static(site) => Ok(site),
            Site::Server(_) => bail!("this scenario needs a static folder"),
        }
    }
}
