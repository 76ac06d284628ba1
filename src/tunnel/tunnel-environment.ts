import type { Environment } from '../shared/environment.ts'

/** The variables that credential plugins of clusters, proxies and certificates depend on. */
const NAMES = [
  // Where programs, homes and settings are.
  'PATH HOME USER LOGNAME LANG TMPDIR KUBECONFIG VPLANE_HOME',
  // The keyrings and the agents of a session.
  'DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK KRB5CCNAME GNUPGHOME',
  // Trusted certificates.
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE',
  // Proxies.
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY',
  // The cluster in which vplane runs.
  'KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT USE_GKE_GCLOUD_AUTH_PLUGIN',
  // Programs on Windows do not start without these.
  'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH',
  'APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES',
].flatMap((names) => names.split(' '))

/** The prefixes of the variables of each cloud and each tool. */
const PREFIXES = [
  'AAD_ ALIBABA_CLOUD_ ARM_ AWS_ AZURE_ CLOUDSDK_ DIGITALOCEAN_ GCLOUD_ GOOGLE_ IBMCLOUD_ LC_ LINODE_',
  'OCI_ OIDC_ OS_ SCW_ TELEPORT_ TSH_ VAULT_ XDG_',
].flatMap((prefixes) => prefixes.split(' '))

/** The part of an environment that a tunnel stores: only what logins to the host and proxies need. */
export function tunnelEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isRelevant(name.toUpperCase()) ? [[name, value]] : [],
    ),
  )
}

function isRelevant(name: string): boolean {
  return NAMES.includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix))
}
