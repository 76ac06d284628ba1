import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accessPathOf } from '../../../src/compose/access/access-path.ts'
import { CREDENTIAL_LIFETIME_MS } from '../../../src/control-plane/use-cases/access/credential-lifetime.ts'
import { accessFiles } from '../../../src/kubeconfig/plugin/access-file.ts'
import { writeCredentialLauncher } from '../../../src/kubeconfig/plugin/credential-launcher.ts'
import { type QuickAnswer, writeQuickAnswer } from '../../../src/kubeconfig/plugin/quick-answer.ts'
import { recordOf } from '../../../src/shared/processes/launch/process-record.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import { storedPlane } from '../../support/driver/some-planes.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const HOST_CONTEXT = 'arn:aws:eks:eu-1:42:cluster/me@home.1'
const HOSTED = storedPlane('dev', {
  driver: 'kubernetes',
  namespace: 'team-a',
  hostContext: HOST_CONTEXT,
})
const WORDS = ['kubernetes', 'dev', 'team-a', HOST_CONTEXT]
const SERVER = 'https://127.0.0.1:20443'

/** The launcher answers by itself where there are /proc and GNU's date; elsewhere vplane does. */
describe.skipIf(process.platform !== 'linux')('the launcher', () => {
  test('repeats the answer of vplane, valid for one minute', async () => {
    const place = await temporaryPlace()
    await place.answer({ certificate: 'a\ncertificate "\\n" $HOME `x` %s', key: 'a key' })

    const { status, stdout } = place.run(WORDS)

    const credential = JSON.parse(stdout)
    const seconds = (Date.parse(credential.status.expirationTimestamp) - Date.now()) / 1000
    expect(status).toBe(0)
    expect(credential).toMatchObject({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: {
        clientCertificateData: 'a\ncertificate "\\n" $HOME `x` %s',
        clientKeyData: 'a key',
      },
    })
    expect(seconds).toBeGreaterThan(30)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  test('answers for a local plane from the folder of the plane', async () => {
    const place = await temporaryPlace()
    const path = accessPathOf(place.data, storedPlane('dev'))
    mkdirSync(dirname(path), { recursive: true })
    await writeQuickAnswer(path, place.evidence({}))

    expect(JSON.parse(place.run(['local', 'dev']).stdout)).toMatchObject({ kind: 'ExecCredential' })
    expect(place.run(['local', 'other']).stdout).toBe('vplane was asked')
  })

  test.for([
    ['connects to the address of the answer', { cluster: { server: SERVER } }, true],
    ['connects to another address', { cluster: { server: `${SERVER}0` } }, false],
    ['connects to a part of it', { cluster: { server: SERVER.slice(0, -1) } }, false],
    ['does not say where it connects', undefined, true],
    ['knows of no cluster', {}, false],
  ] as const)('looks where a client goes that %s', async ([, spec, isAnswered]) => {
    const place = await temporaryPlace()
    await place.answer({})
    const info = spec === undefined ? '' : JSON.stringify({ kind: 'ExecCredential', spec })

    const { stdout } = place.run(WORDS, { KUBERNETES_EXEC_INFO: info })

    expect(stdout !== 'vplane was asked').toBe(isAnswered)
  })

  test.for([
    ['of another plane', [...WORDS.slice(0, 3), 'other']],
    ['of a plane at an address of the user', [...WORDS, `--server=${SERVER}`]],
    ['with too few words', WORDS.slice(0, 3)],
    ['without words', []],
    ['with letters that it does not know', [...WORDS.slice(0, 3), 'a b']],
    ['that lead out of the folder', ['local', '../credentials']],
  ] as const)('asks vplane for a credential %s', async ([, words]) => {
    const place = await temporaryPlace()
    await place.answer({})

    expect(place.run(words).stdout).toBe('vplane was asked')
  })

  test('asks vplane when the credential is due', async () => {
    const place = await temporaryPlace()
    const inOneMinute = new Date(Date.now() + CREDENTIAL_LIFETIME_MS * 0.2 + 60_000)
    await place.answer({ expiresAt: inOneMinute })

    expect(place.run(WORDS).stdout).toBe('vplane was asked')
  })

  test('asks vplane while the tunnel has a problem', async () => {
    const place = await temporaryPlace()
    const problem = join(place.data, 'a problem')
    await place.answer({}, { unless: problem })
    const { stdout: before } = place.run(WORDS)

    writeFileSync(problem, '')

    expect(before).toContain('ExecCredential')
    expect(place.run(WORDS).stdout).toBe('vplane was asked')
  })

  test('asks vplane when one of the processes has ended', async () => {
    const place = await temporaryPlace()
    const child = spawn('sleep', ['60'])
    const processes = [process.pid, Number(child.pid)].map(record)
    await place.answer({}, { processes })
    const { stdout: before } = place.run(WORDS)

    child.kill('SIGKILL')
    await once(child, 'exit')

    expect(before).toContain('ExecCredential')
    expect(place.run(WORDS).stdout).toBe('vplane was asked')
  })

  test.for([
    ['another process has its id', { startTime: '1' }],
    ['the machine was started again', { bootId: 'another' }],
  ] as const)('asks vplane when %s', async ([, change]) => {
    const place = await temporaryPlace()
    await place.answer({}, { processes: [{ ...record(process.pid), ...change }] })

    expect(place.run(WORDS).stdout).toBe('vplane was asked')
  })

  test.for([
    ['is of another format', (text: string) => text.replace(/^1\n/, '2\n')],
    ['was cut off', (text: string) => text.split('\n').slice(0, 6).join('\n')],
    ['is empty', () => ''],
  ] as const)('asks vplane when what it left %s', async ([, damage]) => {
    const place = await temporaryPlace()
    const path = await place.answer({})

    writeFileSync(path, damage(readFileSync(path, 'utf8')))

    expect(place.run(WORDS)).toMatchObject({ stdout: 'vplane was asked', stderr: '' })
  })

  test('asks vplane where date cannot calculate, without an error', async () => {
    const place = await temporaryPlace()
    await place.answer({})
    place.program('path/date', '#!/bin/sh\necho invalid date >&2; exit 1\n')

    expect(place.run(WORDS)).toMatchObject({ stdout: 'vplane was asked', stderr: '' })
  })
})

test('an answer can be read by its owner alone', async () => {
  const place = await temporaryPlace()

  const path = await place.answer({})

  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('stores no answer without a process', async () => {
  const place = await temporaryPlace()

  expect(existsSync(await place.answer({}, { processes: [] }))).toBe(false)
})

test.for(['write', 'remove'] as const)(
  'an answer is removed with its access when %s changes it',
  async (change) => {
    const place = await temporaryPlace()
    const path = await place.answer({})
    const accesses = accessFiles((plane) => accessPathOf(place.data, plane))

    await accesses[change](HOSTED, { ...place.evidence({}).access, certificateAuthority: 'a CA' })

    expect(existsSync(path)).toBe(false)
  },
)

function record(processId: number) {
  return recordOf(processId, processTableOf(process.platform))
}

async function temporaryPlace() {
  const root = await temporaryFolder()
  const data = join(root, 'data')
  const launcher = join(data, 'bin/vplane-credential')
  const path = accessPathOf(data, HOSTED)
  const program = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
    chmodSync(join(root, name), 0o755)
  }
  const evidence = (access: Partial<QuickAnswer['access']>) => ({
    access: {
      server: SERVER,
      certificate: 'a certificate',
      key: 'a key',
      expiresAt: new Date(Date.now() + CREDENTIAL_LIFETIME_MS),
      ...access,
    },
    processes: [record(process.pid)],
  })
  program('node', '#!/bin/sh\nprintf "vplane was asked"\n')
  program('vplane.js', '')
  await writeCredentialLauncher(launcher, {
    node: join(root, 'node'),
    script: join(root, 'vplane.js'),
  })
  return {
    data,
    program,
    evidence,
    /** Leaves an answer for the hosted plane; returns its path. */
    answer: async (access: Partial<QuickAnswer['access']>, more: Partial<QuickAnswer> = {}) => {
      mkdirSync(dirname(path), { recursive: true })
      await writeQuickAnswer(path, { ...evidence(access), ...more })
      return `${path}.answer`
    },
    run: (words: readonly string[], environment: Record<string, string> = {}) => {
      const env = { PATH: `${root}/path:/usr/bin:/bin`, ...environment }
      const { status, stderr, stdout } = spawnSync(launcher, words, { env, encoding: 'utf8' })
      return { status, stderr, stdout }
    },
  }
}
