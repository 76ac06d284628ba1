import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { VplaneError } from '../../../src/shared/errors.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { type TunnelFolder, tunnelFolder } from '../../../src/tunnel/record/tunnel-folder.ts'
import { clearProblem, readTunnel } from '../../../src/tunnel/record/tunnel-record.ts'
import { writeProblem, writeSettings } from '../../../src/tunnel/record/tunnel-record.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const FIXTURE = join(packageRoot(), 'test/tunnel/fixtures/tunnel-1')

let folder: TunnelFolder

beforeEach(() => {
  folder = tunnelFolder(mkdtempSync(join(tmpdir(), 'vplane-record-')))
})
afterEach(() => rmSync(folder.root, { recursive: true }))

test('reads what format 1 holds', () => {
  cpSync(FIXTURE, folder.root, { recursive: true })

  expect(readTunnel(folder)).toEqual({
    formatVersion: 1,
    writtenBy: '0.2.0',
    plane: { name: 'dev', driver: 'kubernetes', namespace: 'team-a', hostContext: 'prod' },
    address: '127.0.0.1',
    port: 21_443,
    host: {
      files: ['/home/ada/.kube/config'],
      environment: { PATH: '/usr/bin', HOME: '/home/ada' },
    },
    idleTimeoutMs: 1_800_000,
    revision: '7d0f1c86-5f1c-4b0c-9a53-0d0a3b7c2f11',
    process: {
      formatVersion: 1,
      processId: 4711,
      startTime: '123456',
      bootId: '5f3c2d1e',
      startedAt: '2026-01-02T03:04:05.000Z',
      revision: '7d0f1c86-5f1c-4b0c-9a53-0d0a3b7c2f11',
    },
    problem: {
      message: 'login to the host cluster "prod" is needed: the token has expired',
      hints: ['aws sso login'],
      at: new Date('2026-01-02T04:00:00.000Z'),
    },
  })
})

test('writes format 1', async () => {
  const { settings } = tunnelFolder(FIXTURE)
  const { formatVersion: _, ...fields } = JSON.parse(readFileSync(settings, 'utf8'))

  await writeSettings(folder, fields)

  expect(readFileSync(folder.settings, 'utf8')).toBe(readFileSync(settings, 'utf8'))
})

test('refuses a newer format, and names the vplane that knows it', () => {
  writeFileSync(folder.settings, '{"formatVersion": 2, "writtenBy": "3.1.0"}')

  expect(thrownBy(() => readTunnel(folder))).toMatchObject({
    code: 'FAILED',
    message: `${folder.settings} was written in a newer format: vplane 3.1.0 or later is needed`,
    hints: ['npm install --global vplane@3.1.0'],
  })
})

test.for(['', '{', '[]', '{"formatVersion": 1}', 'null'])('reports %j as none', (text) => {
  writeFileSync(folder.settings, text)

  expect(readTunnel(folder)).toBeUndefined()
})

test('reports a missing record as none', () => {
  expect(readTunnel(folder)).toBeUndefined()
  expect(readTunnel(tunnelFolder('/dev/null/x'))).toBeUndefined()
})

test.for(['serving', 'problem'] as const)('ignores a damaged file: %s', (name) => {
  cpSync(FIXTURE, folder.root, { recursive: true })
  writeFileSync(folder[name], '{"processId": 0')

  const record = readTunnel(folder)

  expect(record).toMatchObject({ port: 21_443 })
  expect(record?.[name === 'serving' ? 'process' : name]).toBeUndefined()
})

test('records a problem until it is solved', async () => {
  cpSync(FIXTURE, folder.root, { recursive: true })
  const at = new Date('2026-05-06T07:08:09.000Z')

  await writeProblem(folder, new VplaneError('FAILED', 'no', { hints: ['try'] }), at)
  expect(readTunnel(folder)?.problem).toEqual({ message: 'no', hints: ['try'], at })

  clearProblem(folder)
  expect(readTunnel(folder)?.problem).toBeUndefined()
})
