import { VplaneError } from '../../../shared/errors.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { filesOf, type PlaneFiles } from '../objects/plane-keys.ts'

interface OwnerFiles {
  secret: string
  namespace: string
  /** What it must have. */
  keys: readonly string[]
  /** What the credentials are for, in errors. */
  server: string
  /** The arguments of kubectl that create it. */
  create: string
  signal: AbortSignal
}

/**
 * The Secret of the owner of a server, which the spec of a plane names.
 * @throws {VplaneError} `FAILED` when it is missing or not complete.
 */
export async function ownerFiles(
  api: Pick<HostApi, 'get'>,
  { create, keys, namespace, secret: name, server, signal }: OwnerFiles,
): Promise<PlaneFiles> {
  const secret = await api.get(objectPath('secrets', { name, namespace }), { signal })
  const what = `Secret "${name}" in namespace "${namespace}"`
  const files = filesOf(secret?.['data'])
  const missing = keys.filter((key) => (files[key] ?? '') === '')
  if (missing.length > 0) {
    const lacks = secret === undefined ? 'does not exist' : `lacks ${missing.join(', ')}`
    const message = `cannot read the credentials for ${server}: ${what} ${lacks}`
    throw new VplaneError('FAILED', message, {
      hints: [`kubectl --namespace ${namespace} ${create}`],
    })
  }
  return files
}
