import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readyPath } from '../../../control-plane/api/readiness.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { servingOf, type ServingName } from '../../../control-plane/plane/plane.ts'
import { createKubeClient } from '../../../kube/client/client.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { freeSpace } from '../../../shared/files/free-space.ts'
import { isListening } from '../../../shared/network/ports.ts'
import { unlessErrorCode, VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import { lastWords } from '../logs/read-log.ts'
import { runningComponents } from './running-components.ts'
import { serverOf } from './local-layout.ts'
import type { PlaneContext } from './start-context.ts'

const TIMEOUT_MS = 300_000
const LOG_LINES = 8

const MIB = 1024 ** 2

/** What etcd reserves for a file of its log. With less, a component may end, and have no room to log why. */
const NEEDED_BYTES = 64 * MIB

/** Another program may have the port, and say nothing: then it has to be seen that kube-apiserver has ended. */
const ANSWER_MS = 5000

export interface ComponentsCondition {
  /** What is waited for, for the error: `etcd`. */
  what: string
  /** The components that must not end meanwhile. */
  components: readonly ServingName[]
  isMet: (deadline: AbortSignal) => boolean | Promise<boolean>
  intervalMs: number
}

/** Fails once one ends. @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`, `ABORTED`. */
export async function waitForComponents(
  context: PlaneContext,
  name: string,
  {
    components,
    intervalMs,
    isMet,
    operation: { signal, timeoutMs = TIMEOUT_MS },
    what,
  }: ComponentsCondition & { operation: Operation },
): Promise<void> {
  const plane = { name }
  // The last one starts when the others serve.
  const last = components.at(-1) ?? 'kube-apiserver'
  const hints: Hint[] = [
    { action: 'describe', plane },
    { action: 'logs', plane, what: last },
  ]
  await waitFor(
    async (deadline) => {
      await checkRunning(context, name, components)
      return isMet(deadline)
    },
    { what: `${what} of "${name}"`, timeoutMs, intervalMs, signal, hints },
  )
}

/** Returns when a plane's API server is ready; fails as soon as it or its store ends. */
export async function waitForApiServer(
  context: PlaneContext,
  { hasData, name, ports, spec }: Pick<PlaneRecord, 'hasData' | 'name' | 'ports' | 'spec'>,
  operation: Operation,
): Promise<void> {
  const { pki } = context.store.folder(name)
  const certificateAuthority = await readFile(join(pki, 'ca.crt'), 'utf8')
  await using client = createKubeClient({ server: serverOf(ports), certificateAuthority })
  const path = readyPath({ isRestart: hasData })
  await waitForComponents(context, name, {
    what: 'the API server',
    components: servingOf(spec).filter((one) => one !== 'kube-controller-manager'),
    // While components start, the processor is busy: a refused connection costs less than a TLS handshake.
    isMet: async (deadline) => {
      const signal = AbortSignal.any([deadline, AbortSignal.timeout(ANSWER_MS)])
      const answer = async () => client.text(path, { signal }).catch(() => undefined)
      return (await isListening(ports.apiServer)) && (await answer())?.status === 200
    },
    intervalMs: 20,
    operation,
  })
}

/** @throws {VplaneError} `COMPONENT_FAILED` with the last lines of the first that does not run. */
export async function checkRunning(
  { store, table }: PlaneContext,
  name: string,
  components: readonly ServingName[],
): Promise<void> {
  const folder = store.folder(name)
  const running = runningComponents(folder, table)
  const dead = components.find((component) => !running.has(component))
  if (dead === undefined) {
    return
  }
  const lines = await lastWords(folder.logOf(dead), LOG_LINES)
  const shown = lines.map((line) => `\n  ${line}`).join('')
  const output =
    lines.length === 0
      ? `it wrote nothing${await missingRoom(folder.root)}`
      : `its last lines:${shown}`
  throw new VplaneError('COMPONENT_FAILED', `${dead} of "${name}" has ended; ${output}`, {
    hints: [{ action: 'logs', plane: { name }, what: dead }, { action: 'examine-machine' }],
  })
}

/** Why a component may have been silent: its disk is nearly full. */
async function missingRoom(folder: string): Promise<string> {
  const free = await unlessErrorCode(['ENOENT'], freeSpace(folder))
  return free === undefined || free >= NEEDED_BYTES
    ? ''
    : `: there may be no space left on its disk, of which ${Math.floor(free / MIB)} MiB are free`
}
