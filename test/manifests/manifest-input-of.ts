import { ENCRYPTION_FILE } from '../../src/control-plane/components/encryption-configuration.ts'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../src/control-plane/spec/spec.ts'
import { databaseOf, ownStoreOf, sharedEtcdOf } from '../../src/control-plane/store/store.ts'
import { DATABASE_FILES } from '../../src/manifests/database-files.ts'
import { SHARED_ETCD_FILES } from '../../src/manifests/shared-etcd-files.ts'
import type { ManifestInput } from '../../src/manifests/templates/manifest-input.ts'

const AUTHORITIES = ['ca', 'etcd/ca', 'front-proxy-ca', 'signing-ca']
const CLIENTS = ['apiserver-etcd-client', 'etcd/healthcheck-client', 'front-proxy-client']
const SERVERS = ['apiserver', 'controller-manager-server', 'etcd/peer', 'etcd/server']

/** All files of a plane's keys, as `pki/` names them. */
export const PKI_FILES = [
  ...[...AUTHORITIES, ...CLIENTS, ...SERVERS, 'controller-manager'].flatMap(pair),
  'client-ca.crt',
  'sa.key',
  'sa.pub',
]

/** What the syncer adds to them. */
const SYNCER_FILES = [
  ...['apiserver-kubelet-client', 'dns', 'syncer', 'syncer-server'].flatMap(pair),
  'kubelet-ca.crt',
  'syncer-ca.crt',
]

/** What a scheduler of the plane's own adds to them. */
const SCHEDULER_FILES = ['scheduler', 'scheduler-server'].flatMap(pair)

function pair(name: string): string[] {
  return [`${name}.crt`, `${name}.key`]
}

/** The input for a plane `dev` in `team-a`, whose files hold their own names. */
export function manifestInputOf(
  user: UserSpec = {},
  changes: Partial<ManifestInput> = {},
): ManifestInput {
  const spec = resolveSpec(user, 'kubernetes')
  const names = [
    ...PKI_FILES,
    ...(spec.encryption?.secrets === true ? [ENCRYPTION_FILE] : []),
    ...(spec.host?.sync === undefined ? [] : SYNCER_FILES),
    ...(spec.host?.scheduler === undefined ? [] : SCHEDULER_FILES),
    ...(databaseOf(spec) === undefined ? [] : DATABASE_FILES),
    ...(sharedEtcdOf(spec) === undefined ? [] : Object.values(SHARED_ETCD_FILES)),
  ]
  const isOfPlane = (name: string) =>
    ownStoreOf(spec) !== undefined || !/^etcd\/(peer|server)\./.test(name)
  return {
    name: 'dev',
    namespace: 'team-a',
    id: 'c0ffee',
    spec,
    files: Object.fromEntries(names.filter(isOfPlane).map((name) => [name, `${name} of dev`])),
    initialState: 'new',
    desired: 'running',
    programOf: (program) => Buffer.from(`the ${program}`).toString('base64'),
    ...changes,
  }
}
