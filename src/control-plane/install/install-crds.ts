import { isVplaneError, VplaneError } from '../../shared/errors.ts'
import { recordsAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Ui } from '../../shared/ui.ts'
import { waitFor } from '../../shared/wait.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import { applyObjects, pathOfKind } from './apply-objects.ts'
import {
  isCustomResourceDefinition,
  isEstablished,
  refusalOf,
  servedResourcesOf,
} from './custom-resource-definition.ts'

interface CrdWait {
  /** For all definitions together, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

export interface InstallCrdsOptions extends CrdWait {
  /** Custom resource definitions with unique names, as from `selectCrds`; other objects are skipped. */
  objects: readonly KubeObject[]
}

const PATH = pathOfKind('CustomResourceDefinition')
const TOO_MANY_REQUESTS = 429
/** How long the API server has to accept names that it refused before. */
const RECHECK_MS = 1000

/**
 * Installs or updates custom resource definitions, and returns them when each is established, discovery lists all of
 * its served versions, and its objects can be listed.
 * @throws {VplaneError} `FAILED` with the reason of the API server when it refuses one or its names are taken,
 * `TIMED_OUT` with the names of those that are not served in time, `INVALID_SPEC` as `applyObjects` does.
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
    what: `the API server to accept ${what}`,
    ...rest(),
  })
  await waitUntilEstablished(api, applied, rest())
  await waitUntilDiscovered(api, applied, rest())
  await waitUntilListed(api, applied, rest())
  return applied
}

async function waitUntilEstablished(
  api: PlaneApi,
  applied: readonly KubeObject[],
  { signal, timeoutMs }: CrdWait,
): Promise<void> {
  const pending = new Set(applied.filter((crd) => !isEstablished(crd)).map(nameOf))
  if (pending.size === 0) {
    return
  }
  const watchAll = async (either: AbortSignal) => {
    await recheckRefused(api, applied, either)
    for await (const { object, type } of api.watch(PATH, { signal: either })) {
      if (pending.has(nameOf(object))) {
        throwIfHopeless(object, type)
        if (isEstablished(object) && pending.delete(nameOf(object)) && pending.size === 0) {
          break
        }
      }
    }
    return true
  }
  const what = 'custom resource definitions to be established'
  await waitFor(watchAll, { what, timeoutMs, signal }).catch((error: unknown) => {
    throw withNames(error, [...pending])
  })
}

/** After a conflict of names was resolved, the response to the apply reports it until the API server notices. */
async function recheckRefused(
  api: PlaneApi,
  applied: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const definition of applied.filter((one) => refusalOf(one) !== undefined)) {
    const isAcceptedNow = async (either: AbortSignal) => {
      const now = await api.get(`${PATH}/${nameOf(definition)}`, { signal: either })
      return now !== undefined && refusalOf(now) === undefined
    }
    try {
      await waitFor(isAcceptedNow, { what: 'names', timeoutMs: RECHECK_MS, signal })
    } catch (error) {
      // The watch reports the reason of a definition that is still refused.
      if (!isTimeOut(error)) {
        throw error
      }
    }
  }
}

function throwIfHopeless(definition: KubeObject, type: string): void {
  const reason = type === 'DELETED' ? 'it is being deleted' : refusalOf(definition)
  if (reason !== undefined) {
    const message = `custom resource definition "${nameOf(definition)}" cannot be served: ${reason}`
    throw new VplaneError('FAILED', message)
  }
}

/** Clients find resources by discovery. */
async function waitUntilDiscovered(
  api: PlaneApi,
  definitions: readonly KubeObject[],
  { signal, timeoutMs }: CrdWait,
): Promise<void> {
  const pending = Map.groupBy(definitions.flatMap(servedResourcesOf), (one) => one.groupVersion)
  const areListed = async (either: AbortSignal) => {
    for (const [groupVersion, resources] of pending) {
      const listed = await api.get(`/apis/${groupVersion}`, { signal: either })
      const names = new Set(recordsAt(listed, 'resources').map((resource) => resource['name']))
      if (resources.every(({ plural }) => names.has(plural))) {
        pending.delete(groupVersion)
      }
    }
    return pending.size === 0
  }
  const what = 'custom resources to be served'
  await waitFor(areListed, { what, timeoutMs, signal, intervalMs: 20 }).catch((error: unknown) => {
    throw withNames(error, [...pending.keys()])
  })
}

/**
 * Returns when the resources of all definitions can be listed. Shortly after discovery shows them, the API server
 * answers "storage is (re)initializing", so that clients without retries would fail.
 * @throws {VplaneError} `TIMED_OUT`, `ABORTED` when the signal fires.
 */
export async function waitUntilListed(
  api: Pick<PlaneApi, 'text'>,
  definitions: readonly KubeObject[],
  { signal, timeoutMs }: CrdWait,
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

function withNames(error: unknown, names: string[]): unknown {
  if (!isTimeOut(error)) {
    return error
  }
  const rest = names.length > 5 ? ` and ${names.length - 5} more` : ''
  const message = `${error.message}: ${names.slice(0, 5).join(', ')}${rest}`
  return new VplaneError('TIMED_OUT', message, { hints: [...error.hints], cause: error })
}

function isTimeOut(error: unknown): error is VplaneError {
  return isVplaneError(error, 'TIMED_OUT')
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? ''
}
