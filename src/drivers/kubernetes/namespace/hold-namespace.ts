import { MANAGED_BY } from '../../../manifests/object-names.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import type { HeldLease } from '../../../kube/lease/held-lease.ts'
import { acquireLease, type LeaseOptions } from '../record/plane-lease.ts'
import { CREATED_FOR } from '../context/object-names.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

export interface HoldOptions extends LeaseOptions {
  /** The plane for which a missing namespace is created; undefined when none may be created. */
  createFor: string | undefined
}

export interface Hold extends AsyncDisposable {
  lease: HeldLease
  createdNamespace: boolean
}

/**
 * Holds a plane by its Lease, and creates its namespace if it is missing.
 *
 * @throws {VplaneError} `NOT_FOUND` when the namespace may not be created, `FAILED` when it is being deleted.
 */
export async function holdInNamespace(api: HostApi, options: HoldOptions): Promise<Hold> {
  try {
    return toHold(await acquireLease(api, options), false)
  } catch (error) {
    if (!isVplaneError(error, 'NOT_FOUND')) {
      throw error
    }
    const createdNamespace = await createNamespace(api, options, error)
    return toHold(await acquireLease(api, options), createdNamespace)
  }
}

function toHold(lease: HeldLease, createdNamespace: boolean): Hold {
  return { lease, createdNamespace, [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose]() }
}

/** False when another client created the namespace meanwhile. */
async function createNamespace(
  api: HostApi,
  { createFor, namespace, signal }: HoldOptions,
  cause: unknown,
): Promise<boolean> {
  if (createFor === undefined) {
    throw new VplaneError('NOT_FOUND', `namespace "${namespace}" does not exist`, {
      hints: [`kubectl create namespace ${namespace}`, { createNamespace: true }],
      cause,
    })
  }
  const labels = { [MANAGED_BY]: 'vplane' }
  const metadata = { name: namespace, labels, annotations: { [CREATED_FOR]: createFor } }
  try {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata }
    await api.create(collectionPath('namespaces'), object, { signal })
    return true
  } catch (error) {
    if (isVplaneError(error, 'CONFLICT')) {
      return false
    }
    throw error
  }
}
