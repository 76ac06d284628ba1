import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { changedSpec, type SpecChange } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { LeaveRequest } from '../../../../src/control-plane/driver/plane-moves.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import { finishFirst } from '../../../../src/control-plane/use-cases/find/finish-first.ts'
import { refuseWhilePaused } from '../../../../src/control-plane/use-cases/find/refuse-while-paused.ts'
import { stagesAhead } from '../../../../src/control-plane/rotation/rotation.ts'
import {
  upgradedSpec,
  upgradeStages,
} from '../../../../src/control-plane/use-cases/upgrade/upgraded-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { requestFor } from '../fake-cluster.ts'
import type { Command, InterruptiblePlane } from './interruptible-plane.ts'

export interface NamedCommand {
  name: string
  run: Command
  /** What the record of the plane has once it has succeeded. @default there is no record */
  leaves?: object
}

const KEYS = 'service-account-key'
const TO = { name: 'dev', driver: 'local' } as const
const RUNNING = { desired: 'running' }
const HANDED = { keys: 7, sha256: 'ab' }

/** Nothing reads what is in it. */
const SNAPSHOT = fileURLToPath(import.meta.url)

/** Every command that changes a plane in a host namespace. */
export const COMMANDS: readonly NamedCommand[] = [
  {
    name: 'create',
    run: async (world) => {
      const request = requestFor('dev', { userSpec: world.userSpec, host: { adopt: true } })
      await world.driver.create(request, world.operation())
    },
    leaves: { name: 'dev' },
  },
  {
    name: 'resume',
    run: onPlane((world, plane) => world.driver.start(plane, world.operation())),
    leaves: RUNNING,
  },
  {
    name: 'pause',
    run: onPlane((world, plane) => world.driver.pause(plane, world.operation())),
    leaves: { desired: 'paused' },
  },
  {
    name: 'set a flag',
    run: changing((spec) => ({ ...spec, apiServer: { extraArgs: { v: '2' } } })),
    leaves: { spec: { apiServer: { extraArgs: { v: '2' } } } },
  },
  {
    name: 'scale to 1',
    run: changing((spec) => ({ ...spec, etcd: { replicas: 1 } })),
    leaves: { spec: { host: { etcd: { replicas: 1 } } } },
  },
  {
    name: 'scale to 3',
    run: changing((spec) => ({ ...spec, etcd: { replicas: 3 } })),
    leaves: { spec: { host: { etcd: { replicas: 3 } } } },
  },
  {
    name: 'upgrade',
    run: onPlane(async (world, plane) => {
      for (const stage of upgradeStages(plane, upgradedSpec(plane, { version: '1.36' }))) {
        await change(world, plane, stage)
      }
    }),
    leaves: { spec: { version: expect.stringMatching(/^1\.36\./) } },
  },
  {
    name: 'rotate',
    run: onPlane(async (world, plane) => {
      refuseWhilePaused(plane, 'rotated')
      await finishFirst('rotate', { driver: world.driver, plane }, world.operation())
      const { certificates } = world.driver
      const [stage = 'prepare'] = stagesAhead(await certificates.rotation(plane, KEYS))
      await certificates.rotate(plane, { keys: KEYS, stage }, world.operation())
    }),
    leaves: { name: 'dev' },
  },
  {
    name: 'renew certificates',
    run: onPlane(async (world, plane) => {
      await finishFirst('rotate', { driver: world.driver, plane }, world.operation())
      await world.driver.certificates.renewLeaves(plane, world.operation())
    }),
    leaves: { name: 'dev' },
  },
  {
    name: 'repair',
    run: onPlane(async (world, plane) => {
      const operation = world.operation()
      const { faults } = await world.driver.diagnose(plane, operation.signal)
      await world.driver.repair(plane, operation, faults)
    }),
    leaves: { name: 'dev' },
  },
  {
    name: 'restore',
    run: onPlane((world, plane) => {
      const request = { file: SNAPSHOT, from: SNAPSHOT, revision: 0, keepFormer: true }
      const untilAnswers = async () => {}
      return world.driver.restore(plane, { ...request, untilAnswers }, world.operation())
    }),
    leaves: RUNNING,
  },
  {
    name: 'move',
    run: onPlane(async (world, plane) => {
      await finishFirst('move', { driver: world.driver, plane }, world.operation())
      const transfer: LeaveRequest['transfer'] = async (handOver) => {
        await handOver('another', HANDED)
        // Its data is elsewhere: that of a plane in memory ends with its pods.
        world.mayLoseData = plane.spec.ephemeral
      }
      const request = { to: TO, hasBegun: async () => false, transfer }
      await world.driver.moves.leave(plane, request, world.operation())
    }),
    leaves: { movingTo: { handedTo: 'another' } },
  },
  {
    name: 'abort the move',
    run: onPlane((world, plane) =>
      world.driver.moves.return(
        plane,
        { takeBack: async () => {}, undo: async () => {} },
        world.operation(),
      ),
    ),
    leaves: { name: 'dev' },
  },
  { name: 'delete', run: deleting({ keepData: false }) },
  {
    name: 'delete without its data',
    run: deleting({ keepData: true }),
    leaves: { desired: 'kept' },
  },
]

function onPlane(run: (world: InterruptiblePlane, plane: Plane) => Promise<void>): Command {
  return async (world) => {
    const plane = await world.find()
    if (plane === undefined) {
      throw noPlane()
    }
    await run(world, plane)
  }
}

function changing(edit: (spec: UserSpec) => UserSpec): Command {
  return onPlane((world, plane) => change(world, plane, changedSpec(plane, edit(plane.userSpec))))
}

/** Plans it first, as the use cases do: the plan refuses what would lose data. */
async function change(world: InterruptiblePlane, plane: Plane, specs: SpecChange): Promise<void> {
  const operation = world.operation()
  await finishFirst('change', { driver: world.driver, plane }, operation)
  await world.driver.plan(plane, specs, operation.signal)
  await world.driver.change(plane, specs, operation)
}

function deleting({ keepData }: { keepData: boolean }): Command {
  return async (world) => {
    const [found] = await world.driver.find('dev', { namespace: 'team-a' })
    if (found === undefined) {
      throw noPlane()
    }
    // Of a plane that is half deleted, the data may be gone already.
    world.mayLoseData ||= !keepData
    await world.driver.remove(found, world.operation(), { keepData })
    if (!keepData) {
      world.forget()
    }
  }
}

function noPlane(): VplaneError {
  return new VplaneError('CONTROL_PLANE_NOT_FOUND', 'there is no plane "dev"')
}
