# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Package of Spack: packages/mrctl/package.py of your own repository.  Set url to the place where your site keeps the
# archive of a release, and add its checksum (mrctl-VERSION.tar.gz.sha256).
from spack.package import *


class Mrctl(MakefilePackage):
    """Registers RDMA memory regions, and explains why a registration is refused."""

    url = "https://example.org/mrctl-1.0.0.tar.gz"

    version("1.0.0")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cjson")
    depends_on("elfutils")
    depends_on("libmnl")
    depends_on("rdma-core@44:")
    depends_on("util-linux")

    def build(self, spec, prefix):
        make(f"PREFIX={prefix}")

    def install(self, spec, prefix):
        make(f"PREFIX={prefix}", "install")
