import type { Environment } from '../shared/environment.ts'

/** Names of variables that credential plugins of clusters, their proxies and their certificates go by. */
const NAMES = new Set([
  // Where programs, homes and settings are.
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TMPDIR',
  'KUBECONFIG',
  'VPLANE_HOME',
  // The keyrings and the agents of a session.
  'DBUS_SESSION_BUS_ADDRESS',
  'SSH_AUTH_SOCK',
  'KRB5CCNAME',
  'GNUPGHOME',
  // Whom to trust.
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  // How to get out.
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  // The cluster that this runs in.
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'USE_GKE_GCLOUD_AUTH_PLUGIN',
  // What programs of Windows do not start without.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
])

/** What the variables of each cloud and of each tool begin with. */
const PREFIXES = [
  'AAD_',
  'ALIBABA_CLOUD_',
  'ARM_',
  'AWS_',
  'AZURE_',
  'CLOUDSDK_',
  'DIGITALOCEAN_',
  'GCLOUD_',
  'GOOGLE_',
  'IBMCLOUD_',
  'LC_',
  'LINODE_',
  'OCI_',
  'OIDC_',
  'OS_',
  'SCW_',
  'TELEPORT_',
  'TSH_',
  'VAULT_',
  'XDG_',
]

/** The part of an environment that a tunnel takes along: what logins to the host and proxies need, nothing else. */
export function tunnelEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isNeeded(name.toUpperCase()) ? [[name, value]] : [],
    ),
  )
}

function isNeeded(name: string): boolean {
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))
}
