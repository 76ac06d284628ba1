import { expect } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { Operation } from '../../../../src/control-plane/driver/operation.ts'
import type { Plane } from '../../../../src/control-plane/plane/plane.ts'
import { isReadable } from '../../../../src/control-plane/plane/unreadable-plane.ts'
import { stagesAhead } from '../../../../src/control-plane/rotation/rotation.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { finishFirst } from '../../../../src/control-plane/use-cases/find/finish-first.ts'
import { messageOf, VplaneError } from '../../../../src/shared/errors.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { type FakeMachine, fakeMachine } from '../fake-machine.ts'

const KEYS = 'service-account-key'
const RUNNING = { desired: 'running' }

interface Command {
  run: (machine: FakeMachine, plane: Plane | undefined, operation: Operation) => Promise<unknown>
  /** What the plane is like once it has succeeded. @default there is none */
  leaves?: object
  /** A command that has to run before. @default none */
  after?: string
}

/** Every command that changes a plane of this machine, but for a restore, which needs a real etcd. */
export const COMMANDS: Record<string, Command> = {
  create: {
    run: ({ driver }, _, operation) =>
      driver.create({ name: 'dev', userSpec: {}, spec: resolveSpec({}), wait: true }, operation),
    leaves: { name: 'dev' },
  },
  resume: {
    run: ({ driver }, plane, operation) => driver.start(existing(plane), operation),
    leaves: RUNNING,
    after: 'pause',
  },
  pause: {
    run: ({ driver }, plane, operation) => driver.pause(existing(plane), operation),
    leaves: { desired: 'paused' },
  },
  set: {
    run: async ({ driver }, plane, operation) => {
      const found = existing(plane)
      await finishFirst('change', { driver, plane: found }, operation)
      const wanted = { apiServer: { extraArgs: { v: '4' } } }
      await driver.change(found, changedSpec(found, wanted), operation)
    },
    leaves: { userSpec: { apiServer: { extraArgs: { v: '4' } } } },
  },
  'certs rotate': {
    run: async ({ driver }, plane, operation) => {
      await finishFirst('rotate', { driver, plane: existing(plane) }, operation)
      await driver.certificates.renewLeaves(existing(plane), operation)
    },
    leaves: { name: 'dev' },
  },
  'certs rotate-service-account-key': {
    run: async ({ driver }, plane, operation) => {
      const found = existing(plane)
      await finishFirst('rotate', { driver, plane: found }, operation)
      const [stage = 'prepare'] = stagesAhead(await driver.certificates.rotation(found, KEYS))
      await driver.certificates.rotate(found, { keys: KEYS, stage }, operation)
    },
    leaves: { name: 'dev' },
  },
  repair: {
    run: ({ driver }, plane, operation) => driver.repair(existing(plane), operation),
    leaves: { name: 'dev' },
  },
  move: {
    run: ({ driver }, plane, operation) => {
      const to = { name: 'dev', driver: 'kubernetes' } as const
      const request = { to, hasBegun: async () => false, transfer: async () => {} }
      return driver.moves.leave(existing(plane), request, operation)
    },
    leaves: { movingTo: { to: { driver: 'kubernetes' } } },
  },
  'move --abort': {
    run: ({ driver }, plane, operation) => {
      const request = { takeBack: async () => {}, undo: async () => {} }
      return driver.moves.return(existing(plane), request, operation)
    },
    leaves: { name: 'dev' },
    after: 'move',
  },
  delete: { run: ({ driver }, plane, operation) => driver.remove(existing(plane), operation) },
}

/** A command that is killed at its step of this number, from 1, and the command that follows. */
export interface LocalTriple {
  command: string
  step: number
  next: string
}

/** How many steps a command has where it succeeds. */
export async function stepsOf(command: string): Promise<number> {
  await using machine = await prepared(command)
  return await run(machine, command)
}

/**
 * Kills a command at a step, runs the next one, a repair, and the first one again; expects what must hold after each. At
 * last the plane is resumed, which shows what it lacks.
 */
export async function afterInterruption({ command, next, step }: LocalTriple): Promise<void> {
  await using machine = await prepared(command)
  await expect(run(machine, command, step)).rejects.toThrow('the process was killed')

  for (const name of [next, 'repair', command, 'resume']) {
    await attempt(machine, name)
  }
  const plane = await find(machine)
  if (plane?.desired === 'running' && plane.movingTo === undefined) {
    const { driver } = machine
    expect(plane).not.toHaveProperty('unfinished')
    expect(await driver.status(plane)).not.toHaveProperty('operation')
    expect(await driver.plan(plane, changedSpec(plane, plane.userSpec))).toMatchObject({
      steps: [],
    })
    expect(Object.keys(machine.processIds('dev'))).toHaveLength(3)
  }
}

async function prepared(command: string): Promise<FakeMachine> {
  const machine = fakeMachine()
  const { after } = COMMANDS[command] ?? {}
  for (const name of [...(command === 'create' ? [] : ['create']), ...(after ? [after] : [])]) {
    await run(machine, name)
  }
  if (command === 'repair') {
    const name = 'kube-controller-manager'
    process.kill(Number(machine.processIds('dev')[name]), 'SIGKILL')
    await expect.poll(() => machine.processIds('dev')[name]).toBeUndefined()
  }
  return machine
}

/** Returns how many steps the command took. */
async function run(machine: FakeMachine, name: string, killedAt = Infinity): Promise<number> {
  const ui = new RecordingUi()
  let steps = 0
  ui.step = () => {
    steps += 1
    if (steps >= killedAt) {
      throw new VplaneError('ABORTED', 'the process was killed')
    }
  }
  const { signal } = machine.operation
  await COMMANDS[name]?.run(machine, await find(machine), { ui, signal })
  return steps
}

/** A command that is refused says what to do; one that succeeds leaves what it is for. */
async function attempt(machine: FakeMachine, name: string): Promise<void> {
  const error: unknown = await run(machine, name).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) {
    const { leaves } = COMMANDS[name] ?? {}
    const plane = await find(machine)
    const isAsWanted = leaves === undefined ? plane === undefined : plane
    expect(isAsWanted, name).toMatchObject(leaves ?? Object(true))
    return
  }
  expect.assert(error instanceof VplaneError, `${name}: ${messageOf(error)}`)
  const { code, hints, message } = error
  const isExplained = code === 'CONTROL_PLANE_NOT_FOUND' || hints.length > 0
  expect(isExplained, `${name}: ${code}: ${message}`).toBe(true)
}

async function find(machine: FakeMachine): Promise<Plane | undefined> {
  const [found] = await machine.driver.find('dev')
  return found !== undefined && isReadable(found) ? found : undefined
}

function existing(plane: Plane | undefined): Plane {
  if (plane === undefined) {
    throw new VplaneError('CONTROL_PLANE_NOT_FOUND', 'there is no plane "dev"')
  }
  return plane
}
