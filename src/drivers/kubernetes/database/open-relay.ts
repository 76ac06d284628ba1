import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { helperImageOf } from '../../../control-plane/spec/resolve-host-spec.ts'
import { ownStoreOf } from '../../../control-plane/store/store.ts'
import type { PlaneDatabase } from '../../../database/dialect/plane-database.ts'
import { databaseError } from '../../../database/dialect/database-error.ts'
import { RELAY_ANSWER, RELAY_PORT, relayPod } from '../../../manifests/database/relay-pod.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { containerProblem } from '../diagnosis/pods/container-problem.ts'
import { isEvent, isPod, type Pod } from '../host/host-pod.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'
import { planeObjects } from '../objects/plane-objects.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** How long the host may take to run the pod, in milliseconds. */
const TIMEOUT_MS = 120_000

/** How long a pod that runs may take to accept a connection, and the server to answer it, in milliseconds. */
const DIAL_MS = 30_000

const PATIENCE_MS = 5_000

/** How long the deletion of the pod may take, in milliseconds. */
const REMOVAL_MS = 30_000

export interface RelayPlace {
  place: PlacedName
  record: PlaneRecord
  /** Where it connects to. */
  servers: ReadonlyArray<{ host: string; port: number }>
  /** What the servers are, in errors: `the database`. */
  what: string
  /** The error of a server that the pod does not reach. */
  failed: (reason: string, index: number) => Error
  operation: Operation
  /** An image with Node.js. @default the one in the spec of the plane */
  helperImage?: string | undefined
  /**
   * For how long the pod may fail to connect, in milliseconds: the host may apply its network policies to a new pod late.
   * @default 5_000
   */
  patienceMs?: number
}

/** A way to servers with data of a plane, through a pod in its namespace. */
export interface Relay extends AsyncDisposable {
  /**
   * Opens a connection to one of them.
   * @param index @default the first one
   * @throws {VplaneError} `UNREACHABLE` with what the pod says of the server
   */
  dial: (index?: number) => Promise<Duplex>
}

/** What the relay to a database needs to know of it. */
export function toDatabase(facts: PlaneDatabase): Pick<RelayPlace, 'failed' | 'servers' | 'what'> {
  return {
    servers: [facts],
    what: 'the database',
    failed: (reason) => databaseError(facts, new Error(reason), { isAnswer: false }),
  }
}

/**
 * Runs a pod that passes on bytes to servers with data of a plane, since this process may not reach that itself, until it is disposed.
 * @throws {VplaneError} `COMPONENT_FAILED` when the pod can never run, `TIMED_OUT`.
 */
export async function openRelay(
  host: Pick<Host, 'api' | 'context' | 'forward'>,
  {
    failed,
    helperImage,
    operation,
    patienceMs = PATIENCE_MS,
    place,
    record,
    servers,
    what,
  }: RelayPlace,
): Promise<Relay> {
  const { api } = host
  const { signal, timeoutMs = TIMEOUT_MS } = operation
  const { namespace } = place
  const component = ownStoreOf(record.spec) ?? 'kube-apiserver'
  const pod = relayPod(workloadOf(component, place, record), {
    ...place,
    helperImage: helperImage ?? helperImageOf(record.spec),
    pullPolicy: record.spec.host?.images.pullPolicy ?? 'IfNotPresent',
    servers,
  })
  const { name } = pod.metadata
  const path = objectPath('pods', { name, namespace })
  await using stack = new AsyncDisposableStack()
  // One of a vplane that was killed.
  await api.delete(path, { graceSeconds: 0, signal })
  await api.create(collectionPath('pods', namespace), pod, { signal })
  stack.defer(async () => {
    await api.delete(path, { graceSeconds: 0, signal: AbortSignal.timeout(REMOVAL_MS) })
  })
  const fieldSelector = `metadata.name=${name}`
  await using changes = watchForWakeUps(api, collectionPath('pods', namespace), { fieldSelector })
  await waitFor(
    async (deadline) => {
      const found = await api.get(path, { signal: deadline })
      if (found !== undefined && isPod(found)) {
        if (isRunning(found)) {
          return true
        }
        await refuseFailed(host, found, { component, place, what, signal: deadline })
      }
      await changes.next(deadline)
      return false
    },
    { what: `the pod "${name}", which connects to ${what}`, timeoutMs, signal },
  )
  const owned = stack.move()
  return {
    dial: (index = 0) => {
      const port = RELAY_PORT + index
      const refusal = (reason: string) => failed(reason, index)
      return dial(host, { namespace, pod: name, port, refusal, patienceMs, signal })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Where the servers must be reached from. @throws {VplaneError} `INVALID_SPEC` when a template of the user has no such pods. */
function workloadOf(component: AnyComponentName, place: PlacedName, record: PlaneRecord): Manifest {
  const found = planeObjects(place, record, {}).workloads.find(
    ({ metadata }) => metadata.labels[COMPONENT_LABEL] === component,
  )
  if (found === undefined) {
    throw new VplaneError('INVALID_SPEC', `the templates have no workload for ${component}`)
  }
  return found
}

function isRunning({ status }: Pod): boolean {
  const [container] = status?.containerStatuses ?? []
  return container?.state?.running !== undefined
}

async function refuseFailed(
  { api, context: hostContext }: Pick<Host, 'api' | 'context'>,
  pod: Pod,
  {
    component,
    place,
    signal,
    what,
  }: Pick<RelayPlace, 'place' | 'what'> & { component: AnyComponentName; signal: AbortSignal },
): Promise<void> {
  const fieldSelector = `involvedObject.name=${pod.metadata.name}`
  const path = collectionPath('events', place.namespace)
  const listed = await unlessRefused(api.list(path, { fieldSelector, signal }))
  const events = (listed?.items ?? []).filter(isEvent)
  const problem = containerProblem(pod, events, { ...place, hostContext, component })
  if (problem?.final === true) {
    const message = `the pod "${pod.metadata.name}" cannot connect to ${what}: ${problem.reason}`
    throw new VplaneError('COMPONENT_FAILED', message, { hints: problem.hints })
  }
}

interface DialOptions {
  namespace: string
  pod: string
  port: number
  refusal: (reason: string) => Error
  patienceMs: number
  signal: AbortSignal
}

async function dial(
  host: Pick<Host, 'forward'>,
  { namespace, patienceMs, pod, port, refusal, signal }: DialOptions,
): Promise<Duplex> {
  const startedAt = performance.now()
  return waitFor(
    async (deadline) => {
      const answer = await ask(host, { namespace, pod, port, signal: deadline })
      const isDue = performance.now() - startedAt >= patienceMs
      if (typeof answer === 'string' && isDue) {
        throw refusal(answer)
      }
      return typeof answer === 'object' && answer
    },
    { what: `a connection through the pod "${pod}"`, timeoutMs: DIAL_MS, intervalMs: 100, signal },
  )
}

/** The connection, or why the pod has none; undefined while its container does not listen yet. */
async function ask(
  { forward }: Pick<Host, 'forward'>,
  { namespace, pod, port, signal }: Omit<DialOptions, 'patienceMs' | 'refusal'>,
): Promise<Duplex | string | undefined> {
  let stream: Duplex | undefined
  try {
    stream = await forward({ namespace, pod, port }, { signal })
    const answer = await firstByte(stream, signal)
    if (answer === RELAY_ANSWER.connected) {
      return stream
    }
    const reason = answer === RELAY_ANSWER.failed ? await text(stream) : undefined
    stream.destroy()
    return reason
  } catch {
    stream?.destroy()
    signal.throwIfAborted()
    return undefined
  }
}

async function firstByte(stream: Duplex, signal: AbortSignal): Promise<string> {
  await Promise.race([once(stream, 'readable', { signal }), once(stream, 'close', { signal })])
  const read: unknown = stream.read(1)
  return read instanceof Buffer ? read.toString('latin1') : ''
}
