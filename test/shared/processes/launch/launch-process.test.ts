import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { endProcesses } from '../../../../src/shared/processes/end-processes.ts'
import {
  launchProcess,
  type ProcessSpec,
} from '../../../../src/shared/processes/launch/launch-process.ts'
import { processTableOf } from '../../../../src/shared/processes/process-table-of.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const table = processTableOf(process.platform)
const { signal } = new AbortController()

test('appends stdout and stderr to a log, and passes arguments as they are', async () => {
  using place = temporaryFolder()
  writeFileSync(place.log, 'before\n', { mode: 0o600 })
  const script = 'echo "out $#:$1"; echo "err $PWD" >&2'

  const args = ['-c', script, 'sh', 'a "b" $c *', '']
  const record = await launchProcess(place.spec({ args }), table)
  await ended(record.processId)

  expect(readFileSync(place.log, 'utf8')).toBe(`before\nout 2:a "b" $c *\nerr ${place.root}\n`)
})

test('gives a process only the requested environment, and its log to its owner alone', async () => {
  using place = temporaryFolder()
  vi.stubEnv('A_SECRET', 'hush')

  const spec = { binary: '/usr/bin/env', args: [], env: { PATH: '/bin', GOGC: '50' } }
  const { processId } = await launchProcess(place.spec(spec), table)
  await ended(processId)

  const variables = readFileSync(place.log, 'utf8').trim().split('\n')
  expect(variables.toSorted()).toEqual(['GOGC=50', 'PATH=/bin'])
  expect(statSync(place.log).mode & 0o777).toBe(0o600)
})

test('starts a process in its own session without input, and records it', async () => {
  using place = temporaryFolder()
  const script = 'read x; echo "input: $?"; exec sleep 60'

  const record = await launchProcess(place.spec({ args: ['-c', script] }), table)
  await expect.poll(() => readFileSync(place.log, 'utf8')).not.toBe('')

  const group = execFileSync('ps', ['-o', 'pgid=', '-p', String(record.processId)])
  expect(Number(group)).toBe(record.processId)
  expect(readFileSync(place.log, 'utf8')).toBe('input: 1\n')
  expect(record).toMatchObject({
    formatVersion: 1,
    startTime: table.startTimeOf(record.processId),
    bootId: table.bootId(),
  })
  expect(Date.now() - Date.parse(record.startedAt)).toBeLessThan(10_000)
  await endProcesses([record], { table, signal, graceMs: 0 })
})

test.for([
  ['is not there', undefined],
  ['is not executable', 0o600],
] as const)('names the binary that %s', async ([, mode]) => {
  using place = temporaryFolder()
  const binary = join(place.root, 'etcd')
  if (mode !== undefined) {
    writeFileSync(binary, '#!/bin/sh\n', { mode })
  }

  const launching = launchProcess(place.spec({ binary }), table)

  await expect(launching).rejects.toMatchObject({
    code: 'COMPONENT_FAILED',
    message: expect.stringMatching(
      /^cannot start etcd: (no such file or folder|permission denied): ".*etcd"$/,
    ),
    hints: [`check the file ${binary}`, { action: 'examine-machine' }],
  })
})

test("does not print secrets of a process's environment when it cannot start", async () => {
  using place = temporaryFolder()

  const spec = place.spec({ binary: '/nonexistent', env: { TOKEN: 'hush' } })
  const error = await rejectionOf(launchProcess(spec, table))

  expect(JSON.stringify(error)).not.toContain('hush')
})

function temporaryFolder() {
  const root = mkdtempSync(join(tmpdir(), 'vplane-launch-'))
  const log = join(root, 'etcd.log')
  return {
    root,
    log,
    spec: (fields: Partial<ProcessSpec>): ProcessSpec => ({
      name: 'etcd',
      binary: '/bin/sh',
      args: ['-c', ':'],
      env: { PATH: '/usr/bin:/bin' },
      workingFolder: root,
      log,
      ...fields,
    }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

async function ended(processId: number): Promise<void> {
  await expect.poll(() => table.startTimeOf(processId)).toBeUndefined()
}
