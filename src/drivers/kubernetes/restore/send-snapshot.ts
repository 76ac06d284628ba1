import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type { Duplex } from 'node:stream'
import { isLeaving } from '../../../shared/kube/kube-object.ts'
import { RECEIVER, RECEIVING_PORT } from '../../../manifests/restore/restore-scripts.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { Host, KubernetesContext, PlaneOperation } from '../context/context.ts'
import { checkComponents } from '../workloads/check-components.ts'
import { isPod } from '../host/host-pod.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'

export interface SendOptions extends PlaneOperation {
  component: 'etcd' | 'kine'
  /** It may not exist yet. */
  pod: string
  file: string
}

const TIMEOUT_MS = 300_000

/** How long a stream may take, in milliseconds, and how much longer per byte: one to a starting pod may hang. */
const STREAM_MS = 10_000
const STREAM_MS_PER_BYTE = 1 / 1000

/**
 * Returns when the pod has received the snapshot, from this process or an earlier one.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when the pod can never run, `TIMED_OUT`.
 */
export async function sendSnapshot(
  context: KubernetesContext,
  host: Host,
  { component, file, id, operation, place, pod }: SendOptions,
): Promise<void> {
  const { signal, timeoutMs = TIMEOUT_MS } = operation
  const { namespace } = place
  const selection = { fieldSelector: `metadata.name=${pod}` }
  await using changes = watchForWakeUps(host.api, collectionPath('pods', namespace), selection)
  await waitFor(
    async (deadline) => {
      const state = await receiverOf(host, { namespace, pod }, deadline)
      if (state === 'done') {
        return true
      }
      if (state === 'waiting') {
        await checkComponents(context, host, {
          id,
          place,
          components: [component],
          signal: deadline,
        })
        await changes.next(deadline)
        return false
      }
      try {
        const { size } = await stat(file)
        const limit = AbortSignal.timeout(STREAM_MS + Math.round(size * STREAM_MS_PER_BYTE))
        await send(host, { file, namespace, pod }, AbortSignal.any([deadline, limit]))
      } catch (error) {
        deadline.throwIfAborted()
        if (!isVplaneError(error, 'UNREACHABLE')) {
          throw error
        }
        // The pod may not listen yet, or may have the snapshot already.
      }
      return false
    },
    { what: `the pod "${pod}" to take the snapshot`, timeoutMs, signal },
  )
}

async function receiverOf(
  { api }: Pick<Host, 'api'>,
  { namespace, pod }: { namespace: string; pod: string },
  signal: AbortSignal,
): Promise<'waiting' | 'running' | 'done'> {
  const found = await api.get(objectPath('pods', { name: pod, namespace }), { signal })
  if (found === undefined || !isPod(found) || isLeaving(found)) {
    return 'waiting'
  }
  const states = found.status?.initContainerStatuses ?? []
  const state = states.find(({ name }) => name === RECEIVER)?.state
  if (state?.terminated?.exitCode === 0) {
    return 'done'
  }
  return state?.running === undefined ? 'waiting' : 'running'
}

async function send(
  { forward }: Pick<Host, 'forward'>,
  { file, namespace, pod }: { file: string; namespace: string; pod: string },
  signal: AbortSignal,
): Promise<void> {
  const notTaken = (cause: unknown) =>
    new VplaneError('UNREACHABLE', `"${pod}" did not take the snapshot`, { cause })
  const dialling = forward({ namespace, pod, port: RECEIVING_PORT }, { signal })
  const stream = await dialling.catch((error: unknown) => {
    throw signal.aborted ? notTaken(error) : error
  })
  const stop = () => stream.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answer = answerOf(stream)
    await Promise.race([answer, feed(stream, file)])
    await answer
  } catch (error) {
    throw notTaken(error)
  } finally {
    signal.removeEventListener('abort', stop)
    stream.destroy()
  }
}

/** Returns after the last byte: a forwarded stream cannot be closed in one direction only. */
async function feed(stream: Duplex, file: string): Promise<void> {
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 ** 2 })) {
    if (!stream.write(chunk)) {
      await new Promise((resolve) => stream.once('drain', resolve))
    }
  }
}

async function answerOf(stream: Duplex): Promise<void> {
  stream.resume()
  await finished(stream, { writable: false })
}
