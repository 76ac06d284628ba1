import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import { VplaneError } from '../../shared/errors.ts'
import { waitFor } from '../../shared/wait.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

export interface CreateNamespaceOptions {
  /** The beginning of its name. @default `test` */
  prefix?: string
  signal?: AbortSignal
}

const TIMEOUT_MS = 30_000

/** What kube-controller-manager creates in every namespace, and pods and clients need. */
const NEEDED = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']

/**
 * Creates a namespace with a unique name, and returns its name when it can be used.
 * @throws {VplaneError} `TIMED_OUT`, `ABORTED` when the signal fires, and the error of an API that refuses it.
 */
export async function createNamespace(
  api: Pick<PlaneApi, 'create' | 'get'>,
  { prefix = 'test', signal }: CreateNamespaceOptions = {},
): Promise<string> {
  const { metadata } = await api.create(collectionPath('namespaces'), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { generateName: `${prefix}-` },
  })
  const { name } = metadata
  if (name === undefined) {
    throw new VplaneError('FAILED', 'the API server created a namespace without a name')
  }
  await Promise.all(
    NEEDED.map((path) =>
      waitFor((either) => api.get(`/api/v1/namespaces/${name}/${path}`, { signal: either }), {
        what: `"${path}" in the namespace "${name}"`,
        timeoutMs: TIMEOUT_MS,
        intervalMs: 10,
        ...(signal === undefined ? {} : { signal }),
      }),
    ),
  )
  return name
}
