# SPDX-License-Identifier: GPL-2.0-or-later
"""Windtunnel for Spack: put this folder into a repository of your own as packages/windtunnel.

Not run by its authors, who have no Spack: tell what it lacks.  Slurm's internal headers are needed of exactly the release
that is linked with: SLURM_SRC (in the environment) is its source tree, configured as the library was."""

from spack.package import *


class Windtunnel(AutotoolsPackage):
    """Wind tunnel for Slurm controllers: the real slurmctld under the load of an emulated cluster of up to 65,536 nodes."""

    homepage = "file:///"
    license("GPL-2.0-or-later")

    version("main", branch="main", git="file:///path/to/your/clone")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cmocka", type="build")
    depends_on("gsl")
    depends_on("hwloc@2:")
    depends_on("expat")
    depends_on("jansson")
    depends_on("libev")
    depends_on("libmicrohttpd")
    depends_on("libyaml")
    depends_on("munge")
    depends_on("nettle")
    depends_on("slurm@22.05:")
    depends_on("sqlite")
    depends_on("zlib-api")

    def configure_args(self):
        source = join_path(self.spec["slurm"].prefix, "src")
        return [f"--with-slurm={self.spec['slurm'].prefix}", f"--with-slurm-src={env.get('SLURM_SRC', source)}"]
