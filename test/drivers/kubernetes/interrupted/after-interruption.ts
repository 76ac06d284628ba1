import { expect } from 'vitest'
import { componentsOf } from '../../../../src/control-plane/plane/plane.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { messageOf, VplaneError } from '../../../../src/shared/errors.ts'
import { COMMANDS, type NamedCommand } from './commands.ts'
import { InterruptiblePlane } from './interruptible-plane.ts'

/** A plane, and a command that is killed on it. */
export interface Interruption {
  userSpec: UserSpec
  /** Commands that run before. */
  before: readonly string[]
  /** The member whose data is lost before the command. @default none */
  lost?: number
  command: string
}

/** An interruption before one write, and the command that follows. */
export interface Triple extends Interruption {
  /** How many writes the command does before it is killed. */
  writes: number
  next: string
}

const named = (name: string): NamedCommand => {
  const found = COMMANDS.find((command) => command.name === name)
  expect.assert(found !== undefined, name)
  return found
}

/** How many writes a command does if it is not killed. */
export async function writesOf(interruption: Interruption): Promise<number> {
  const world = await prepared(interruption)
  return world.run(named(interruption.command).run)
}

/**
 * Kills a command, runs the next one, a repair, and the first one again; expects what must hold after each. At last the
 * plane is resumed, which shows what it lacks.
 */
export async function afterInterruption(triple: Triple): Promise<void> {
  const world = await prepared(triple)
  const [first, next] = [named(triple.command), named(triple.next)]
  await expect(world.run(first.run, triple.writes)).rejects.toThrow()
  expect(world.wasKilled).toBe(true)

  const done = await attempt(world, next)
  await attempt(world, named('repair'))
  expectResult(world, done)
  expectResult(world, await attempt(world, first))
  expectResult(world, await attempt(world, named('resume')))
  if (first.name !== 'pause') {
    expectResult(world, await attempt(world, first))
  }
  await expectWhole(world)
}

async function prepared({ before, lost, userSpec }: Interruption): Promise<InterruptiblePlane> {
  const world = new InterruptiblePlane(userSpec)
  for (const name of before) {
    await world.run(named(name).run)
    const plane = await world.find()
    if (plane !== undefined) {
      await world.driver.checkComponents(plane)
    }
  }
  if (lost !== undefined) {
    world.lose(lost)
  }
  return world
}

/** Runs a command. Undefined when it is refused; then it says what to do. */
async function attempt(
  world: InterruptiblePlane,
  command: NamedCommand,
): Promise<NamedCommand | undefined> {
  const error: unknown = await world.run(command.run).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(world.violations, command.name).toEqual([])
  if (error === undefined) {
    return command
  }
  expect.assert(error instanceof VplaneError, `${command.name}: ${messageOf(error)}`)
  const { code, hints, message } = error
  const isExplained = code === 'CONTROL_PLANE_NOT_FOUND' || hints.length > 0
  expect(isExplained, `${command.name}: ${code}: ${message}`).toBe(true)
  return undefined
}

/** A command that was refused leaves nothing to expect. */
function expectResult(world: InterruptiblePlane, command: NamedCommand | undefined): void {
  if (command?.leaves !== undefined) {
    expect(world.record, command.name).toMatchObject(command.leaves)
  } else if (command !== undefined) {
    expect(world.record, command.name).toBeUndefined()
  }
}

/** A plane that is to run has all that it is to have, its keeper too, and nothing is unfinished. Without it there is no keeper. */
async function expectWhole(world: InterruptiblePlane): Promise<void> {
  const plane = await world.find()
  const keeper = [...world.cluster.api.objects.keys()].filter((path) =>
    /\/vplane-keeper/.test(path),
  )
  if (world.record === undefined) {
    expect(keeper).toEqual([])
  }
  if (plane?.desired !== 'running' || plane.movingTo !== undefined) {
    return
  }
  expect(world.record).not.toHaveProperty('journal')
  expect(world.record).not.toHaveProperty('previousSpec')
  const count = plane.spec.host?.etcd.replicas ?? 1
  const ordinals = Array.from({ length: count }, (_, ordinal) => ordinal)
  expect(world.members()).toEqual({ ordinals, areWhole: true })
  expect(await world.driver.isRunning(plane, componentsOf(plane.spec))).toBe(true)
}
