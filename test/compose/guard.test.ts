import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { guardPlane } from '../../src/compose/guard.ts'
import { createGuard, type GuardOptions } from '../../src/drivers/local/guard/create-guard.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { temporaryHome } from '../cli/temporary-home.ts'

const PLANE = { name: 'run-1', driver: 'kubernetes', namespace: 'team' } as const

/** A machine whose home is a temporary folder, and what its guards were started with. */
function machine() {
  const home = temporaryHome()
  onTestFinished(() => home[Symbol.dispose]())
  const environment = { ...home.environment, PATH: '/usr/bin:/bin', TOKEN: 'secret' }
  const composition = {
    environment,
    paths: pathsOf(environment),
    hostContext: () => Promise.resolve('my work'),
  }
  const started: GuardOptions[] = []
  const file = join(home.root, 'seen')
  /** A guard that writes down what it got, instead of deleting something. */
  const start = (options: GuardOptions = {}) => {
    started.push(options)
    const program = ['/bin/sh', '-c', `printf '%s ' "$TOKEN" > ${file}; cat >> ${file}`]
    return createGuard({ ...options, program })
  }
  const seen = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
  return { composition, seen, start, started }
}

test('has a hosted plane deleted by the words that mean it alone', async () => {
  const { composition, start, started } = machine()

  await using _guard = await guardPlane(composition, PLANE, start)

  const [{ environment, program = [] } = {}] = started
  expect(environment).toBe(composition.environment)
  expect(program[0]).toBe(process.execPath)
  const words = 'delete run-1 --yes --ignore-not-found --driver kubernetes --namespace team'
  expect(program.slice(2)).toEqual([...words.split(' '), '--host-context', 'my work'])
})

test('leaves a plane of this machine to the guard of the local driver', async () => {
  const { composition, start, started } = machine()

  await using _guard = await guardPlane(composition, { name: 'run-1', driver: 'local' }, start)

  expect(started).toEqual([{}])
})

test('does nothing when it was let go of', async () => {
  const { composition, seen, start } = machine()

  const guard = await guardPlane(composition, PLANE, start)
  await guard[Symbol.asyncDispose]()

  expect(seen()).toBeUndefined()
})

test('hands its program the variables of the process, which logins go by', async () => {
  const { composition, seen, start } = machine()
  const guard = start({ environment: composition.environment })

  await guard.protect('/data', 'run-1')
  await guard[Symbol.asyncDispose]()

  expect(seen()).toMatch(/^secret \{.*"run-1"/)
})
