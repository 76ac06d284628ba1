import { ENCRYPTION_FILE } from '../../src/control-plane/components/encryption-configuration.ts'
import { resolveSpec } from '../../src/control-plane/resolve-spec.ts'
import type { UserSpec } from '../../src/control-plane/spec.ts'
import type { ManifestInput } from '../../src/manifests/manifest-input.ts'

const CERTIFICATES = [
  'apiserver',
  'apiserver-etcd-client',
  'ca',
  'controller-manager',
  'controller-manager-server',
  'etcd/ca',
  'etcd/healthcheck-client',
  'etcd/peer',
  'etcd/server',
  'front-proxy-ca',
  'front-proxy-client',
  'signing-ca',
]

/** All files of a plane's keys, as `pki/` names them. */
export const PKI_FILES = [
  ...CERTIFICATES.flatMap((name) => [`${name}.crt`, `${name}.key`]),
  'client-ca.crt',
  'sa.key',
  'sa.pub',
]

/** The input for a plane `dev` in `team-a`, whose files hold their own names. */
export function manifestInputOf(
  user: UserSpec = {},
  changes: Partial<ManifestInput> = {},
): ManifestInput {
  const spec = resolveSpec(user, 'kubernetes')
  const names = spec.encryption?.secrets === true ? [...PKI_FILES, ENCRYPTION_FILE] : PKI_FILES
  return {
    name: 'dev',
    namespace: 'team-a',
    id: 'c0ffee',
    spec,
    files: Object.fromEntries(names.map((name) => [name, `${name} of dev`])),
    initialState: 'new',
    desired: 'running',
    ...changes,
  }
}
