import { waitFor } from '../../shared/wait.ts'
import type { KubeObject, PlaneApi } from '../api/plane-api.ts'
import { servedResourcesOf } from './custom-resource-definition.ts'

const TOO_MANY_REQUESTS = 429

/**
 * Returns when the resources of all of these custom resource definitions can be listed. For a moment after discovery
 * shows them the API server answers "storage is (re)initializing": clients that do not try again would fail.
 *
 * @throws {VplaneError} `TIMED_OUT`, `ABORTED` when the signal fires.
 */
export async function waitUntilListed(
  api: Pick<PlaneApi, 'text'>,
  definitions: readonly KubeObject[],
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<void> {
  await Promise.all(
    definitions.flatMap(servedResourcesOf).map(({ groupVersion, plural }) =>
      waitFor(
        async (either) => {
          const { status } = await api.text(`/apis/${groupVersion}/${plural}`, { signal: either })
          return status !== TOO_MANY_REQUESTS
        },
        { what: `the storage of "${plural}"`, timeoutMs, intervalMs: 10, signal },
      ),
    ),
  )
}
