import {
  DNS_USER,
  FRONT_PROXY_USER,
  KUBELET_CLIENT_USER,
  SYNCER_USER,
} from '../../control-plane/sync/prepare-sync.ts'
import { certificateFiles, clientFiles, type Issuer, serverFiles } from './certificate-files.ts'
import { type Authority, createAuthority } from '../issue/create-authority.ts'
import { portableFiles } from './portable-files.ts'
import { withChainOf } from '../x509/pem.ts'
import { createServiceAccountKeys, type ServiceAccountKeys } from './service-account-keys.ts'

const SERVER = 'apiserver'

const LOOPBACK = ['localhost', '127.0.0.1']

interface PlanePkiOptions extends Omit<Issuer, 'authority'> {
  serverSans: readonly string[]
  /** Keys of ServiceAccount tokens that already exist. @default new keys */
  serviceAccountKeys?: Promise<ServiceAccountKeys>
  /** Its `portableFiles` from elsewhere, which are used instead of new ones. @default none */
  existing?: Readonly<Record<string, string>> | undefined
}

/**
 * The certificates and keys of kube-apiserver and kube-controller-manager by relative file name.
 *
 * There are three CAs: `ca` for the plane, `signing-ca` for the CSRs that kube-controller-manager signs (so that no
 * component has the key of another CA), and `front-proxy-ca` for the aggregation layer. `client-ca.crt` is the bundle
 * of the CAs whose clients kube-apiserver trusts, and `sa.pub` the list of keys whose ServiceAccount tokens it accepts.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export async function createPlanePki(options: PlanePkiOptions): Promise<Record<string, string>> {
  // First, because the RSA key takes longest by far: another thread creates it in the meantime.
  const serviceAccountKeys = options.serviceAccountKeys ?? createServiceAccountKeys()
  const files = certificatesOf(options)
  return { ...files, ...(await serviceAccountKeys), ...portableFiles(options.existing ?? {}) }
}

/**
 * The certificate of kube-apiserver, with the chain of the former one if any, and its key, by relative file name.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function createApiServerFiles(
  sans: readonly string[],
  issuer: Issuer,
  former?: string,
): Record<string, string> {
  const files = serverFiles(SERVER, { commonName: 'kube-apiserver', sans }, issuer)
  return { ...files, [`${SERVER}.crt`]: withChainOf(former, files[`${SERVER}.crt`] ?? '') }
}

/** The certificates and keys of a plane's own kube-scheduler, by relative file name. */
export function createSchedulerPki(issuer: Issuer): Record<string, string> {
  return {
    ...clientFiles('scheduler', 'system:kube-scheduler', issuer),
    ...serverFiles('scheduler-server', { commonName: 'kube-scheduler', sans: LOOPBACK }, issuer),
  }
}

/**
 * The certificates and keys of a syncer, and of kube-apiserver as the client of its kubelets, by relative file name.
 * `serverSans` are the host names of the kubelet endpoint.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a SAN is neither a host name nor an IP address.
 */
export function createSyncerPki({
  serverSans: sans,
  ...issuer
}: Issuer & { serverSans: readonly string[] }): Record<string, string> {
  const { certificate } = issuer.authority
  return {
    // Separate files: their readers get no other file of the CA, and a plane without syncer does not have them.
    'kubelet-ca.crt': certificate,
    'syncer-ca.crt': certificate,
    ...clientFiles('apiserver-kubelet-client', KUBELET_CLIENT_USER, issuer),
    ...clientFiles('syncer', SYNCER_USER, issuer),
    ...clientFiles('dns', DNS_USER, issuer),
    ...serverFiles('syncer-server', { commonName: 'system:node:vplane-syncer', sans }, issuer),
  }
}

function certificatesOf(options: PlanePkiOptions): Record<string, string> {
  const { algorithm, now, serverSans } = options
  const authority = authorityOf('ca', 'kubernetes', options)
  const signing = authorityOf('signing-ca', 'kubernetes-signing', options)
  const frontProxy = authorityOf('front-proxy-ca', 'front-proxy-ca', options)
  const issuer = { authority, algorithm, now }
  return {
    ...certificateFiles('ca', authority),
    ...certificateFiles('signing-ca', signing),
    'client-ca.crt': authority.certificate + signing.certificate,
    ...certificateFiles('front-proxy-ca', frontProxy),
    ...clientFiles('front-proxy-client', FRONT_PROXY_USER, { ...issuer, authority: frontProxy }),
    ...createApiServerFiles(serverSans, issuer),
    ...clientFiles('controller-manager', 'system:kube-controller-manager', issuer),
    ...serverFiles(
      'controller-manager-server',
      { commonName: 'kube-controller-manager', sans: LOOPBACK },
      issuer,
    ),
  }
}

function authorityOf(
  name: string,
  commonName: string,
  { algorithm, existing = {}, now }: PlanePkiOptions,
): Authority {
  const [certificate, key] = [existing[`${name}.crt`], existing[`${name}.key`]]
  return certificate === undefined || key === undefined
    ? createAuthority({ commonName, algorithm, now })
    : { certificate, key }
}
