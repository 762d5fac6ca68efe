# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Plugin of sos: collects the facts for a ticket about RDMA registration.  Install it in the folder sos/report/plugins
# of Python's packages (/usr/lib/python3/dist-packages in Debian); then: sos report --only-plugins mrctl
from sos.report.plugins import Plugin, DebianPlugin, RedHatPlugin, SuSEPlugin, UbuntuPlugin


class Mrctl(Plugin, DebianPlugin, RedHatPlugin, SuSEPlugin, UbuntuPlugin):
    short_desc = "RDMA memory registration (mrctl)"
    plugin_name = "mrctl"
    profiles = ("hardware", "network")
    commands = ("mrctl",)

    def setup(self):
        self.add_cmd_output([
            "mrctl report",
            "mrctl --verbose stat --device",
            "mrctl stat --system --by process --top 50",
        ])
