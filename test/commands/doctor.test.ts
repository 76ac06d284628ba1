import { afterEach, beforeEach, expect, test } from 'vitest'
import Doctor from '../../src/commands/doctor.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'
import { breachesOf } from '../schemas/read-schema.ts'
import { cacheBinaries } from '../support/machine/cached-binaries.ts'

const home = homeForEachTest()
const HINT = 'to find the error: kubectl config view'

beforeEach(() => {
  cacheBinaries(home)
  home.write('kubeconfig', 'contexts: [')
})

afterEach(() => {
  process.exitCode = undefined
})

test('exits 7 because of a problem, and still returns every finding', async () => {
  const { error, stdout } = await runCommandClass(Doctor, ['--json'])

  expect(error).toBeUndefined()
  expect(process.exitCode).toBe(7)
  expect(breachesOf('results/doctor.json', JSON.parse(stdout))).toEqual([])
  const { findings } = JSON.parse(stdout)
  expect(findings).toContainEqual(
    expect.objectContaining({ subject: 'kubeconfig', level: 'problem', hint: HINT }),
  )
  expect(findings).toContainEqual(expect.objectContaining({ subject: 'planes', level: 'ok' }))
})

test('shows people each problem once, with what to do about it', async () => {
  const { error, stderr, stdout } = await runCommandClass(Doctor, [])

  expect(error).toBeUndefined()
  expect(process.exitCode).toBe(7)
  expect(stdout.match(/^kubeconfig +problem/gm)).toHaveLength(1)
  expect(stderr).toContain(`kubeconfig: ${HINT}\n`)
})
