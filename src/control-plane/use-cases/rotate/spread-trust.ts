import { waitFor } from '../../../shared/wait.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { deletePublishedTrust } from '../../api/delete-published-trust.ts'
import { fieldAt, arrayAt } from '../../../shared/json-fields.ts'

const ROOT_CAS = '/api/v1/configmaps?fieldSelector=metadata.name%3Dkube-root-ca.crt'

export interface SpreadOptions {
  /** The CAs that are trusted from now on, PEM. */
  certificateAuthority: string
  /** Whether there are such that were trusted before and are not any more. */
  isNarrower: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Returns when all that reads its CAs in the plane finds those of now: pods in the `kube-root-ca.crt` of their namespace,
 * other API servers in what kube-apiserver tells them.
 *
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
