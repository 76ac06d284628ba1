import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examineMachine } from '../../src/cli/examine-machine.ts'
import type { Finding } from '../../src/control-plane/status/finding.ts'
import { homeForEachTest } from './temporary-home.ts'
import { planeRecordOf } from '../drivers/local/plane-record-of.ts'
import { cacheBinaries } from '../support/machine/cached-binaries.ts'
import { RecordingUi } from '../support/driver/recording-ui.ts'

const home = homeForEachTest()

async function findings(): Promise<Record<string, Finding>> {
  const environment = {
    ...home.environment,
    KUBECONFIG: join(home.root, 'kubeconfig'),
    PATH: '',
    VPLANE_OFFLINE: '1',
  }
  const found = await examineMachine({ environment, ui: new RecordingUi() })
  return Object.fromEntries(found.map((finding) => [finding.subject, finding]))
}

test('finds a machine with binaries fit, and makes nothing', async () => {
  cacheBinaries(home)

  const found = await findings()

  expect(Object.keys(found)).toEqual([
    `folder ${home.root}/data`,
    `folder ${home.root}/cache`,
    `folder ${home.root}/config`,
    'disk',
    'memory',
    'binaries',
    'etcdutl',
    'kubectl',
    'kubeconfig',
    'planes',
    'host cluster',
  ])
  expect(found).toMatchObject({
    [`folder ${home.root}/data`]: { level: 'ok', message: 'can be created' },
    binaries: { level: 'ok' },
    kubeconfig: { level: 'ok' },
    planes: { level: 'ok', message: '0 planes' },
    'host cluster': { level: 'ok' },
  })
  expect(existsSync(join(home.root, 'data'))).toBe(false)
})

test('counts planes, and names those that cannot be read', async () => {
  home.write('data/planes/dev/plane.json', JSON.stringify(planeRecordOf('dev')))
  expect((await findings())['planes']).toMatchObject({ level: 'ok', message: '1 planes' })

  home.write('data/planes/bad/plane.json', '{')

  expect((await findings())['planes']).toMatchObject({
    level: 'warning',
    message: 'stored state cannot be read: bad',
    hint: { action: 'delete', plane: { name: 'bad' } },
  })
})

test('finds a kubeconfig that is none', async () => {
  home.write('kubeconfig', '- not\n- a mapping\n')

  expect(await findings()).toMatchObject({
    kubeconfig: { level: 'problem', hint: 'to find the error: kubectl config view' },
    'host cluster': { level: 'warning', message: 'not checked: the kubeconfig is invalid' },
  })
})

test('finds a file where a folder should be', async () => {
  const file = home.write('data', '')

  expect((await findings())[`folder ${file}`]).toMatchObject({
    level: 'problem',
    message: `cannot write to "${file}": it is not a folder`,
  })
})

test('finds a host cluster that cannot be reached, which keeps nobody from working here', async () => {
  const kubeconfig = `current-context: work
clusters: [{name: work, cluster: {server: "https://127.0.0.1:1", insecure-skip-tls-verify: true}}]
contexts: [{name: work, context: {cluster: work, user: me}}]
users: [{name: me, user: {token: secret}}]
`
  home.write('kubeconfig', kubeconfig)

  expect((await findings())['host cluster']).toMatchObject({ level: 'warning' })
})

test('removes what a killed command left, as a list of planes does, and does not report it', async () => {
  const left = join(home.root, 'data', 'planes', `.new-${process.pid}-0123abcd-dev-x`)
  mkdirSync(left, { recursive: true })

  const found = await findings()

  expect(existsSync(left)).toBe(false)
  expect(found).not.toHaveProperty('leftovers')
})

test.skipIf(process.getuid?.() === 0)('finds a folder that cannot be written', async () => {
  mkdirSync(join(home.root, 'data'), { mode: 0o500 })

  expect((await findings())[`folder ${home.root}/data`]).toMatchObject({ level: 'problem' })
})
