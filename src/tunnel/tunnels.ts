import { existsSync, rmSync } from 'node:fs'
import type { PlaneReference } from '../control-plane/plane/plane.ts'
import type { BackgroundTunnels, TunnelState } from '../control-plane/use-cases/access/tunnels.ts'
import { messageOf, VplaneError } from '../shared/errors.ts'
import { acquireFileLock } from '../shared/files/file-lock.ts'
import { type Dial, isTransient } from './connections/dial.ts'
import { type EnsureOptions, ensureTunnel, type TunnelContext } from './ensure-tunnel.ts'
import { isUp, tunnelServer } from './record/is-up.ts'
import { listenTunnel, type TunnelListener } from './connections/listen-tunnel.ts'
import { endTunnel } from './record/retire-tunnel.ts'
import { type TunnelFolder, tunnelFolderOf, tunnelFolders } from './record/tunnel-folder.ts'
import { readTunnel, type TunnelRecord } from './record/tunnel-record.ts'

/** Tunnels to planes, one per plane and host context; disposing ends those inside this process. */
export interface Tunnels extends BackgroundTunnels, AsyncDisposable {
  /** The record of the tunnel to a plane, whether the tunnel runs or not. */
  find(plane: PlaneReference): Promise<TunnelRecord | undefined>
  /** Makes sure that the tunnel runs in its own process, see `ensureTunnel`. */
  ensure(plane: PlaneReference, options: EnsureOptions): Promise<TunnelRecord>
  /**
   * A tunnel inside of this process, which does not keep the process running. A second call for the same plane returns
   * the same tunnel, which uses the new `dial` from then on. Clients wait longer with
   * `isExpected`, because the plane already serves.
   */
  inProcess(plane: PlaneReference, dial: Dial, isExpected?: boolean): Promise<{ server: string }>
}

const LOCK_MS = 30_000
const STOP_MS = 20_000

/** The tunnels of this machine that are recorded below `context.root`, and those inside of this process. */
export function createTunnels(context: TunnelContext): Tunnels {
  const inside = new Map<string, InsideTunnel>()
  return {
    find: async (plane) => readTunnel(tunnelFolderOf(context.root, plane)),
    ensure: (plane, options) => ensureTunnel(context, plane, options),
    list: async () => {
      const states = await Promise.all(tunnelFolders(context.root).map(stateOf))
      return states.filter((state) => state !== undefined)
    },
    stop: (plane) => stopTunnel(context, plane),
    inProcess: async (plane, dial, isExpected = false) => {
      const key = tunnelFolderOf('', plane).root
      const known = inside.get(key)
      if (known !== undefined) {
        known.dial = dial
      }
      const tunnel: InsideTunnel = known ?? {
        dial,
        listener: listenInside((signal) => tunnel.dial(signal), context.warn),
      }
      inside.set(key, tunnel)
      const listener = await tunnel.listener
      if (isExpected) {
        listener.expect()
      }
      return { server: tunnelServer({ address: '127.0.0.1', port: listener.port }) }
    },
    [Symbol.asyncDispose]: async () => {
      const tunnels = [...inside.values()]
      inside.clear()
      await Promise.all(
        tunnels.map(async ({ listener }) => (await listener)[Symbol.asyncDispose]()),
      )
    },
  }
}

interface InsideTunnel {
  dial: Dial
  listener: Promise<TunnelListener>
}

async function listenInside(
  dial: Dial,
  warn: TunnelContext['warn'] = () => {},
): Promise<TunnelListener> {
  const reported = new Set<string>()
  const onFailure = (error: unknown) => {
    const reason = messageOf(error)
    // A client only notices that its connection closes.
    if (!isTransient(error) && !reported.has(reason)) {
      reported.add(reason)
      warn(reason)
    }
  }
  // A plane that starts does not answer yet, and the command that waits for it checks its pods meanwhile.
  const listener = await listenTunnel({ port: 0, dial, isExpected: false, onFailure })
  listener.unref()
  return listener
}

async function stateOf(folder: TunnelFolder): Promise<TunnelState | undefined> {
  const record = tryRead(folder)
  return (
    record && {
      plane: record.plane,
      address: `${record.address}:${record.port}`,
      isUp: await isUp(record),
      ...(record.problem === undefined ? {} : { problem: record.problem.message }),
    }
  )
}

/** Reads a tunnel's record; undefined when a newer vplane wrote it, which lists it itself. */
function tryRead(folder: TunnelFolder): TunnelRecord | undefined {
  try {
    return readTunnel(folder)
  } catch (error) {
    if (error instanceof VplaneError) {
      return undefined
    }
    throw error
  }
}

async function stopTunnel({ root, table }: TunnelContext, plane: PlaneReference): Promise<boolean> {
  const folder = tunnelFolderOf(root, plane)
  if (!existsSync(folder.root)) {
    return false
  }
  await using _lock = await acquireFileLock(folder.changeLock, {
    what: `another vplane that starts the tunnel to "${plane.name}"`,
    timeoutMs: LOCK_MS,
  })
  await endTunnel(folder, { table, signal: AbortSignal.timeout(STOP_MS) })
  rmSync(folder.root, { recursive: true, force: true })
  return true
}
