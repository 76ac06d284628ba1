import { VplaneError } from '../../shared/errors.ts'
import { waitFor } from '../../shared/wait.ts'
import { pathOfKind } from './apply-objects.ts'
import { isEstablished, refusalOf, servedResourcesOf } from './custom-resource-definition.ts'
import { recordsAt } from '../../shared/json-fields.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

export interface CrdWait {
  /** For all of them together, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

const PATH = pathOfKind('CustomResourceDefinition')
/** How long a definition that is refused may stay so, while the API server looks at its new names. */
const SECOND_LOOK_MS = 1000

/**
 * Returns when all of these definitions, as an apply returned them, are established.
 *
 * @throws {VplaneError} `FAILED` as soon as the API server says that names of one are taken, or one is deleted;
 * `TIMED_OUT` with the names of those that are not established.
 */
export async function waitUntilEstablished(
  api: PlaneApi,
  applied: readonly KubeObject[],
  { signal, timeoutMs }: CrdWait,
): Promise<void> {
  const pending = new Set(applied.filter((crd) => !isEstablished(crd)).map(nameOf))
  if (pending.size === 0) {
    return
  }
  const watchAll = async (either: AbortSignal) => {
    await giveSecondLook(api, applied, either)
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

/**
 * Returns when discovery lists the resources of all of these definitions: then clients find them.
 *
 * @throws {VplaneError} `TIMED_OUT` with the group versions that are not served.
 */
export async function waitUntilDiscovered(
  api: PlaneApi,
  definitions: readonly KubeObject[],
  { signal, timeoutMs }: CrdWait,
): Promise<void> {
  const pending = pluralsByGroupVersion(definitions)
  const look = async (either: AbortSignal) => {
    for (const [groupVersion, plurals] of pending) {
      const listed = await api.get(`/apis/${groupVersion}`, { signal: either })
      const names = new Set(recordsAt(listed, 'resources').map((resource) => resource['name']))
      if (plurals.every((plural) => names.has(plural))) {
        pending.delete(groupVersion)
      }
    }
    return pending.size === 0
  }
  const what = 'custom resources to be served'
  await waitFor(look, { what, timeoutMs, signal, intervalMs: 20 }).catch((error: unknown) => {
    throw withNames(error, [...pending.keys()])
  })
}

/**
 * After a user has resolved a conflict of names, the answer to the apply still tells of it: the API server is given a
 * moment to see that, so that the conflict is not reported once more.
 */
async function giveSecondLook(
  api: PlaneApi,
  applied: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const definition of applied.filter((definition) => refusalOf(definition) !== undefined)) {
    const isAcceptedNow = async (either: AbortSignal) => {
      const now = await api.get(`${PATH}/${nameOf(definition)}`, { signal: either })
      return now !== undefined && refusalOf(now) === undefined
    }
    try {
      await waitFor(isAcceptedNow, { what: 'names', timeoutMs: SECOND_LOOK_MS, signal })
    } catch (error) {
      // It is refused still: the watch tells why.
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

function pluralsByGroupVersion(definitions: readonly KubeObject[]): Map<string, string[]> {
  const plurals = new Map<string, string[]>()
  for (const { groupVersion, plural } of definitions.flatMap(servedResourcesOf)) {
    plurals.set(groupVersion, [...(plurals.get(groupVersion) ?? []), plural])
  }
  return plurals
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
  return error instanceof VplaneError && error.code === 'TIMED_OUT'
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? ''
}
