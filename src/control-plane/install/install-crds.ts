import type { Ui } from '../../shared/ui.ts'
import { waitFor } from '../../shared/wait.ts'
import { applyObjects } from './apply-objects.ts'
import { isCustomResourceDefinition, servedResourcesOf } from './custom-resource-definition.ts'
import { waitUntilDiscovered, waitUntilEstablished } from './wait-for-crds.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

const TOO_MANY_REQUESTS = 429

export interface InstallCrdsOptions {
  /** Custom resource definitions, each name once, as `selectCrds` gives them; other objects are left out. */
  objects: readonly KubeObject[]
  /** For all of them together, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Installs custom resource definitions and returns when each is established, discovery lists every served version of
 * it, and its objects can be listed. Definitions that are there already are brought up to date.
 *
 * @returns the definitions as the API server took them.
 * @throws {VplaneError} `FAILED` with the reason of the API server when it refuses one or its names are taken,
 * `TIMED_OUT` with the names of those that are not served in time, `INVALID_SPEC` when one has no name or an API version
 * that is no longer served.
 */
export async function installCrds(
  { api, ui }: { api: PlaneApi; ui: Ui },
  { objects, signal, timeoutMs }: InstallCrdsOptions,
): Promise<KubeObject[]> {
  const definitions = objects.filter(isCustomResourceDefinition)
  if (definitions.length === 0) {
    return []
  }
  const count = definitions.length
  const what = count === 1 ? 'a custom resource definition' : `${count} custom resource definitions`
  ui.step(`Installing ${what}`)
  const deadline = performance.now() + timeoutMs
  const rest = () => ({ signal, timeoutMs: Math.max(0, Math.round(deadline - performance.now())) })
  const applied = await waitFor((either) => applyObjects(api, definitions, either), {
    what: `the API server to take ${what}`,
    ...rest(),
  })
  await waitUntilEstablished(api, applied, rest())
  await waitUntilDiscovered(api, applied, rest())
  await waitUntilListed(api, applied, rest())
  return applied
}

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
