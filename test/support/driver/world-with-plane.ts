import { onTestFinished } from 'vitest'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import {
  connectControlPlane,
  type ConnectOptions,
} from '../../../src/control-plane/use-cases/connect/connect-control-plane.ts'
import { temporarySnapshots } from '../cli/temporary-snapshots.ts'
import { FakeComposition, type FakeCompositionOptions } from './fake-composition.ts'

interface WorldOptions extends FakeCompositionOptions {
  /** The spec of its plane. @default {} */
  spec?: UserSpec
}

/** Options for planes in the host context `work`. */
export const HOSTED = { driver: { name: 'kubernetes', hostContext: 'work' } } as const

/** A composition whose first driver runs a plane `dev`. */
export async function worldWithPlane({ spec, ...options }: WorldOptions = {}) {
  const world = new FakeComposition(options)
  const plane = await world.plane('dev', spec)
  const inside = world.driver.inside(plane)
  return { world, driver: world.driver, plane, inside, api: inside.api }
}

/** The same with a place for snapshots, which goes with the test. */
export async function worldWithSnapshots(options: WorldOptions = {}) {
  const store = await temporarySnapshots()
  onTestFinished(() => store[Symbol.asyncDispose]())
  return { ...(await worldWithPlane({ ...options, snapshots: store.snapshots })), store }
}

/** Makes a context lead to the plane. */
export function connect(world: FakeComposition, options: Partial<ConnectOptions> = {}) {
  const { signal } = new AbortController()
  const usual = { name: 'dev', embedCredentials: false, timeoutMs: 2000, signal }
  return connectControlPlane(world, { ...usual, ...options })
}
