import { waitFor } from '../../../src/shared/wait.ts'
import type { DeclaredPlane } from './declared-plane.ts'
import type { OperatorWorld } from './operator-world.ts'
import type { OperatorOperation, OperatorRound, OtherCommand } from './plan-operator-rounds.ts'

const MOST_PLANES = 3
const SERVING_MS = 240_000
const OLDER_VERSION = '1.35'
const NEWER_VERSION = '1.36'

/** What is done in a round: to which plane, and how. */
export interface Act {
  plane: DeclaredPlane
  run: () => Promise<void>
  /** The plane is gone afterwards. @default false */
  isEnd?: boolean
}

/** Prepares what an operation needs, without any fault. */
export async function prepareOperation(
  world: OperatorWorld,
  { operation, pick, round }: OperatorRound,
): Promise<Act> {
  const { cli } = world
  const declare = async (spec: Record<string, unknown>) => {
    const plane = await roomFor(world)
    return { plane, run: () => plane.apply({ renew: true, ...spec }) }
  }
  const existing = async () => {
    const found = world.planes[Math.floor(pick * world.planes.length)]
    return found ?? started(await declare({}))
  }
  const acts: Record<OperatorOperation, () => Promise<Act>> = {
    'a creation': () => declare({}),
    'a change': async () => {
      const plane = await existing()
      const extraArgs = { 'max-requests-inflight': String(400 + round) }
      return { plane, run: () => plane.apply({ apiServer: { extraArgs } }) }
    },
    'a scaling': async () => {
      const plane = await existing()
      const members = (await plane.wanted('etcd', 'replicas')) === 3 ? 1 : 3
      const servers = (await plane.wanted('apiServer', 'replicas')) === 2 ? 1 : 2
      const spec =
        pick < 0.5 ? { etcd: { replicas: members } } : { apiServer: { replicas: servers } }
      return { plane, run: () => plane.apply(spec) }
    },
    'an upgrade': async () => {
      const plane = await started(await declare({ version: OLDER_VERSION }))
      return { plane, run: () => plane.apply({ version: NEWER_VERSION }) }
    },
    'a pause': async () => {
      const plane = await existing()
      return {
        plane,
        run: async () => {
          await plane.apply({ paused: true })
          await untilSettled(plane)
          await plane.apply({ paused: false })
        },
      }
    },
    'a deletion': async () => {
      const plane = await existing()
      return { plane, isEnd: true, run: () => world.startDeletion(plane) }
    },
    'an adoption': async () => {
      const plane = await roomFor(world)
      await cli.ok(['create', ...plane.at, '--set', 'renew=true'])
      await plane.startWriter()
      return { plane, run: () => again(world, ['adopt', ...plane.at]) }
    },
    'a release': async () => {
      const plane = await existing()
      return {
        plane,
        run: async () => {
          await again(world, ['release', ...plane.at])
          await again(world, ['adopt', ...plane.at])
        },
      }
    },
  }
  return acts[operation]()
}

/** What someone else does with a plane; undefined for nothing. */
export function commandOf(
  { at }: DeclaredPlane,
  command: OtherCommand,
  round: number,
): string[] | undefined {
  const flag = `controllerManager.extraArgs.concurrent-gc-syncs=${10 + round}`
  const commands: Record<OtherCommand, string[] | undefined> = {
    'a change': ['set', ...at, flag, '--yes'],
    'a rotation': ['certs', 'rotate', ...at, '--yes'],
    'a snapshot': ['snapshot', 'create', ...at],
    'a description': ['describe', ...at],
    nothing: undefined,
  }
  return commands[command]
}

/** Waits until a plane is as its ControlPlane says, and its status says so. */
export async function untilSettled(plane: DeclaredPlane): Promise<void> {
  let faults: string[] = []
  const isSettled = async () => {
    faults = await plane.unsettled()
    return faults.length === 0
  }
  try {
    await waitFor(isSettled, { what: '', timeoutMs: SERVING_MS, intervalMs: 500 })
  } catch (error) {
    throw new Error(`"${plane.name}" does not settle: ${faults.join('; ')}`, { cause: error })
  }
}

/** A plane that does not exist yet, in place of the oldest one if there are enough. */
async function roomFor(world: OperatorWorld): Promise<DeclaredPlane> {
  const [oldest] = world.planes
  if (oldest !== undefined && world.planes.length >= MOST_PLANES) {
    await world.startDeletion(oldest)
    await world.untilGone(oldest)
  }
  return world.newPlane()
}

async function started({ plane, run }: Act): Promise<DeclaredPlane> {
  await run()
  await untilSettled(plane)
  await plane.startWriter()
  return plane
}

/** Runs a command, and again when something that it needs was killed. */
async function again({ cli }: OperatorWorld, words: readonly string[]): Promise<void> {
  const { code } = await cli.run(words)
  if (code !== 0) {
    await cli.ok(words)
  }
}
