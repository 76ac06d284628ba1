import { expect, test } from 'vitest'
import { Command } from '@oclif/core/command'
import {
  grantFlags,
  grantOf,
  accessFlags,
  accessOptionsOf,
} from '../../../src/cli/flags/connect-flags.ts'
import { createConfig } from '../../../src/cli/catalog/command-config.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const DAY_MS = 24 * 60 * 60 * 1000

class Probe extends Command {
  static override flags = { ...accessFlags, ...grantFlags }

  async run() {
    return (await this.parse(Probe)).flags
  }
}

const parse = (...argv: string[]) => new Probe(argv, createConfig('vplane')).run()

test('speaks for the administrator, or for a user with groups', () => {
  const flags = { user: 'alice', group: ['dev', 'ops'], expires: 60_000, 'cluster-role': 'view' }

  expect(grantOf({})).toBeUndefined()
  expect(grantOf(flags)).toEqual({
    subject: { user: 'alice', groups: ['dev', 'ops'] },
    lifetimeMs: 60_000,
    clusterRole: 'view',
  })
})

test.for([
  ['ci/deployer', 'ci'],
  ['deployer', 'default'],
] as const)('speaks for the ServiceAccount %s, for a day', ([text, namespace]) => {
  expect(grantOf({ 'service-account': text })).toEqual({
    subject: { namespace, serviceAccount: 'deployer' },
    lifetimeMs: DAY_MS,
    clusterRole: undefined,
  })
})

test.for(['', 'a/b/c', '/x', 'A', 'a/'])('refuses the ServiceAccount %j', (text) => {
  expect(thrownBy(() => grantOf({ 'service-account': text })).code).toBe('USAGE')
})

test.for([{ 'cluster-role': 'view' }, { expires: 1000 }])(
  'wants to know whom %j is for',
  (flags) => {
    expect(thrownBy(() => grantOf(flags)).message).toContain('needs --user or --service-account')
  },
)

test('warns of a tunnel that others can reach', () => {
  const ui = new RecordingUi()

  const way = accessOptionsOf({ address: '0.0.0.0', 'local-port': 21_000 }, { ui, lasting: true })

  expect(way).toMatchObject({ address: '0.0.0.0', localPort: 21_000, lasting: true })
  expect(ui.warnings).toEqual([expect.stringContaining('listens on 0.0.0.0')])
})

test.for(['127.0.0.1', '127.1.2.3', '::1'])('does not warn of %s', (address) => {
  const ui = new RecordingUi()

  accessOptionsOf({ address }, { ui, lasting: true })

  expect(ui.warnings).toEqual([])
})

test.for([
  ['--address', { address: '127.0.0.2' }],
  ['--local-port', { 'local-port': 21_000 }],
  ['--idle-timeout', { 'idle-timeout': 1000 }],
  ['--kubeconfig-file', { 'kubeconfig-file': 'out.yaml' }],
  ['--print', { print: true }],
  ['--no-update-current', { 'update-current': false }],
] as const)('refuses %s with a command, which gets no context', ([flag, flags]) => {
  const way = () => accessOptionsOf(flags, { ui: new RecordingUi(), lasting: false })

  expect(thrownBy(way)).toMatchObject({
    code: 'USAGE',
    message: `${flag} is for a context, not for a command after --`,
  })
})

test('takes the flags of a context that have their default with a command', () => {
  const flags = { print: false, 'update-current': true, 'kubeconfig-file': undefined }

  const way = accessOptionsOf(flags, { ui: new RecordingUi(), lasting: false })

  expect(way).toMatchObject({ lasting: false })
})

test('reads addresses of an API, and nothing that only looks like one', async () => {
  expect(await parse('--server', 'https://dev.example.com:6443/')).toMatchObject({
    server: 'https://dev.example.com:6443',
  })
  for (const text of ['dev.example.com', 'http://dev', 'https://a:b@dev', 'https://dev/path']) {
    await expect(parse('--server', text)).rejects.toThrow('is not the address of an API')
  }
})

test('reads how long a tunnel may be idle', async () => {
  const flags = await parse('--idle-timeout', '5m')

  expect(accessOptionsOf(flags, { ui: new RecordingUi(), lasting: true })).toMatchObject({
    idleTimeoutMs: 300_000,
  })
  await expect(parse('--idle-timeout', '5')).rejects.toThrow('the unit is missing')
})

test('reads IP addresses only', async () => {
  expect(await parse('--address', '0.0.0.0')).toMatchObject({ address: '0.0.0.0' })
  await expect(parse('--address', 'localhost')).rejects.toThrow('is not an IP address')
})

test.for([
  '--server https://a --local-port 1',
  '--user alice --service-account a/b',
  '--group dev',
  '--local-port 70000',
])('refuses "%s"', async (line) => {
  await expect(parse(...line.split(' '))).rejects.toThrow()
})
