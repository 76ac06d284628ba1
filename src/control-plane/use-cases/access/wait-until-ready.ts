import { setTimeout as delay } from 'node:timers/promises'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { Ui } from '../../../shared/ui.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { Driver } from '../../driver/driver.ts'
import { type AnyComponentName, componentsOf, type Plane } from '../../plane/plane.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { readyPath } from '../../api/readiness.ts'
import { SyncPreparation } from '../../sync/sync-preparation.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

export interface ReadyOptions {
  driver: Driver
  plane: Plane
  api: PlaneApi
  /** The components that must run. @default all components of the plane */
  components?: readonly AnyComponentName[] | undefined
  /** Whether it was ready before, so that its default objects exist. @default false */
  isRestart?: boolean | undefined
  timeoutMs: number
  signal: AbortSignal
  /** Shows what vplane waits for, and what delays it. @default nothing is shown */
  ui?: Pick<Ui, 'step' | 'progress'>
}

/** How often the components are checked while a watch reports the rest, in milliseconds. */
const CHECK_MS = 100

/** What kube-controller-manager creates in every namespace, and pods and clients need. */
const NEEDED = [
  { what: 'the "default" ServiceAccount', kind: 'serviceaccounts', name: 'default' },
  { what: 'the ConfigMap "kube-root-ca.crt"', kind: 'configmaps', name: 'kube-root-ca.crt' },
] as const

/**
 * Returns when a plane can be used: its API is ready, the `default` ServiceAccount and `kube-root-ca.crt` exist, an
 * object passes admission, and the syncer is ready if it is among the components.
 * @throws {VplaneError} `COMPONENT_FAILED` as soon as a component ends, `TIMED_OUT` with what was missing, `ABORTED`.
 */
export async function waitUntilReady(ready: ReadyOptions): Promise<void> {
  const { api, components = componentsOf(ready.plane.spec), isRestart = false, plane } = ready
  const hints: readonly Hint[] = [
    { action: 'describe', plane },
    { action: 'logs', plane, what: 'kube-apiserver' },
  ]
  const options = { ...ready, components, hints }
  const deadline = Date.now() + options.timeoutMs
  const remaining = () => Math.max(1, deadline - Date.now())

  const host = plane.spec.host?.sync?.serviceRange
  const ranges = host && { host, own: plane.spec.serviceRange }
  using preparation = ranges ? new SyncPreparation(api, ranges) : undefined
  options.ui?.step('Waiting for the API')
  await waitForCondition(options, {
    what: `the API of "${plane.name}"`,
    missingOf: (signal) =>
      missingOf(api, {
        path: readyPath({ isRestart }),
        onAnswer: () => preparation?.begin(),
        signal,
      }),
  })
  options.ui?.step('Waiting for its first objects')
  await Promise.all(
    NEEDED.map((object) => waitForObject(object, { ...options, timeoutMs: remaining() })),
  )
  const isAdmitting = async (signal: AbortSignal) => {
    await options.driver.checkComponents(plane, components)
    return admitsObjects(api, signal)
  }
  const what = `the first object in "${plane.name}"`
  await waitFor(isAdmitting, { what, timeoutMs: remaining(), signal: options.signal, hints })
  await preparation?.complete(options.signal)
  if (components.includes('syncer')) {
    options.ui?.step('Waiting for its syncer')
    await waitForCondition(
      { ...options, timeoutMs: remaining() },
      {
        what: `the syncer of "${plane.name}"`,
        missingOf: () => missingComponent(options.driver.isRunning(plane, components)),
      },
    )
  }
}

type Waiting = ReadyOptions & { components: readonly AnyComponentName[]; hints: readonly Hint[] }

interface Condition {
  /** As it reads after "waiting for". */
  what: string
  /** What is still missing; undefined when the condition is met. */
  missingOf: (signal: AbortSignal) => Promise<string | undefined>
}

/** Waits for a condition, and fails as soon as a component ends. */
async function waitForCondition(
  { components, driver, hints, plane, signal, timeoutMs, ui }: Waiting,
  { missingOf: check, what }: Condition,
): Promise<void> {
  let missing: string | undefined
  let shown: string | undefined
  try {
    await waitFor(
      async (deadline) => {
        const obstacle = await driver.checkComponents(plane, components)
        if (obstacle !== shown) {
          shown = obstacle
          ui?.progress(obstacle ?? '')
        }
        const answer = await check(deadline)
        missing = answer && (obstacle ?? answer)
        return missing === undefined
      },
      { what, timeoutMs, intervalMs: 25, signal, hints },
    )
  } catch (error) {
    throw isVplaneError(error, 'TIMED_OUT') && missing !== undefined
      ? new VplaneError('TIMED_OUT', `${error.message}: ${missing}`, { hints, cause: error })
      : error
  }
}

async function missingOf(
  api: PlaneApi,
  { onAnswer, path, signal }: { onAnswer: () => void; path: string; signal: AbortSignal },
): Promise<string | undefined> {
  try {
    const { body, status } = await api.text(path, { signal })
    onAnswer()
    const failed = body.split('\n').filter((line) => line.startsWith('[-]'))
    return status === 200 ? undefined : failed.join(', ') || `it answers with status ${status}`
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof VplaneError) {
      return error.message
    }
    throw error
  }
}

/** Returns why components are not known to run: a host that gives no answer in time may give one later. */
async function missingComponent(isRunning: Promise<boolean>): Promise<string | undefined> {
  try {
    return (await isRunning) ? undefined : 'it is not ready yet'
  } catch (error) {
    if (isVplaneError(error, 'TIMED_OUT')) {
      return error.message
    }
    throw error
  }
}

/** Waits until an object exists, and fails as soon as a component ends. */
async function waitForObject(
  { kind, name, what }: (typeof NEEDED)[number],
  { api, components, driver, hints, plane, signal, timeoutMs }: Waiting,
): Promise<void> {
  const path = `${collectionPath(kind, 'default')}?fieldSelector=metadata.name=${name}`
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  let exists = false
  let failure: unknown
  const watch = async () => {
    try {
      exists = await appears(api, path, either)
    } catch (error) {
      failure = error
    }
  }
  const watching = watch()
  try {
    await waitFor(
      async (deadline) => {
        await driver.checkComponents(plane, components)
        const pause = delay(CHECK_MS, undefined, { signal: deadline, ref: false })
        await Promise.race([watching, pause])
        if (failure !== undefined) {
          throw failure
        }
        return exists
      },
      { what: `${what} of "${plane.name}"`, timeoutMs, intervalMs: 15, signal, hints },
    )
  } finally {
    stop.abort()
    await watching
  }
}

async function appears(api: PlaneApi, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const event of api.watch(path, { signal })) {
      if (event.type !== 'DELETED') {
        return true
      }
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error
    }
  }
  return false
}

/** Whether an object passes the plane's own admission. The user's webhooks, policies and quotas refuse only after that. */
async function admitsObjects(api: PlaneApi, signal: AbortSignal): Promise<boolean> {
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'vplane-ready-' } }
  try {
    await api.create(collectionPath('configmaps', 'default'), probe, { dryRun: true, signal })
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof VplaneError)) {
      throw error
    }
    if (/webhook|ValidatingAdmissionPolicy|exceeded quota/.test(error.message)) {
      return true
    }
    if (isTransient(error)) {
      return false
    }
    throw error
  }
}

function isTransient({ code, message }: VplaneError): boolean {
  return (
    code === 'UNREACHABLE' || code === 'TIMED_OUT' || message.includes('not yet ready to handle')
  )
}
