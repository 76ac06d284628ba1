import { waitFor } from '../../../shared/wait.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { deletePublishedTrust } from '../../api/delete-published-trust.ts'
import { fieldAt, arrayAt } from '../../../shared/json-fields.ts'

const ROOT_CAS = '/api/v1/configmaps?fieldSelector=metadata.name%3Dkube-root-ca.crt'

export interface SpreadOptions {
  /** The CAs that are now trusted, PEM. */
  certificateAuthority: string
  /** Whether CAs that were trusted before are not trusted any more. */
  isNarrower: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Returns when the CAs are published in the plane: in the `kube-root-ca.crt` of every namespace for pods, and in the
 * ConfigMap of kube-apiserver for other API servers.
 * @throws {VplaneError} `TIMED_OUT` when kube-controller-manager does not write them.
 */
export async function spreadTrust(
  api: Pick<PlaneApi, 'delete' | 'get'>,
  { certificateAuthority, isNarrower, signal, timeoutMs }: SpreadOptions,
): Promise<void> {
  if (isNarrower) {
    await deletePublishedTrust(api, signal)
  }
  await waitFor(
    async (either) => {
      const list = await api.get(ROOT_CAS, { signal: either })
      return arrayAt(list, 'items').every(
        (item) => fieldAt(item, 'data', 'ca.crt') === certificateAuthority,
      )
    },
    { what: 'the CAs in every "kube-root-ca.crt"', timeoutMs, intervalMs: 200, signal },
  )
}
