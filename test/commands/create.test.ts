import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CreateResult } from '../../src/cli/results/create-result.ts'
import type { SeveralResult } from '../../src/cli/results/several-result.ts'
import Create from '../../src/commands/create.ts'
import Render from '../../src/commands/render.ts'
import { VplaneError } from '../../src/shared/errors.ts'
import { parseYamlDocuments } from '../../src/shared/yaml/yaml.ts'
import { runCommandClass } from '../cli/run-command-class.ts'
import { homeForEachTest } from '../cli/temporary-home.ts'
import { breachesOf } from '../schemas/read-schema.ts'
import { type FakeApiServer, startFakeApiServer } from '../support/api/fake-api-server.ts'

const HOSTED = ['dev', '--driver', 'kubernetes', '--namespace', 'team']
const LOCAL = ['dev', '--driver', 'local', '--dry-run']

const home = homeForEachTest()
/** A host cluster that has nothing. */
let host: FakeApiServer

beforeEach(async () => {
  host = await startFakeApiServer((_, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' })
    response.end('{ "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404 }')
  })
  home.write('kubeconfig', kubeconfigOf(host))
})

afterEach(() => host[Symbol.asyncDispose]())

test('says what a create on this machine would create, and creates nothing', async () => {
  const { error, stdout } = await runCommandClass(Create, [...LOCAL, '--renew'])

  expect(error).toBeUndefined()
  expect(stdout).toMatch(/^Would create "dev":\n {2}Driver: +local\n {2}Version: +Kubernetes 1\.36/)
  expect(stdout).toContain('etcd, kube-apiserver, kube-controller-manager, keeper\n')
  expect(existsSync(join(home.root, 'data'))).toBe(false)
  expect(host.requests).toEqual([])
})

test('says what a create in a host cluster would create, and only reads there', async () => {
  const { error, result, stdout } = await runCommandClass(Create, [...HOSTED, '--dry-run'])

  expect(error).toBeUndefined()
  expect(stdout).toContain('  Host:       work\n  Namespace:  team, created if it is missing\n')
  expect(stdout).toMatch(/^ {4}Deployment +vplane-dev-kube-apiserver, vplane-dev-kube-/m)
  expect(result).toMatchObject({ namespace: 'team', hostContext: 'work', created: false })
  expect(result?.plan?.objects).toContainEqual({ kind: 'Secret', name: 'vplane-dev-ca' })
  expect(new Set(host.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
})

test('prints what render prints', async () => {
  const rendered = await runCommandClass(Render, ['dev', '--namespace', 'team'])
  const yaml = await runCommandClass(Create, [...HOSTED, '--dry-run', '--output', 'yaml'])
  const json = await runCommandClass(Create, [...HOSTED, '--dry-run', '-o', 'json'])

  expect(rendered.stdout).toContain('vplane-dev-kube-apiserver')
  expect(yaml.stdout).toBe(rendered.stdout)
  expect(JSON.parse(json.stdout)).toEqual({
    apiVersion: 'v1',
    kind: 'List',
    items: parseYamlDocuments(rendered.stdout, 'the output'),
  })
  expect(json.stderr).toContain('Secrets with keys are left out: vplane-dev-')
})

test('prints the ControlPlane that declares a paused plane', async () => {
  const declare = [...HOSTED, '--declare', '--paused', '--label', 'team=shop', '--dry-run']

  const { stdout } = await runCommandClass(Create, [...declare, '-o', 'json'])

  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'ControlPlane',
    metadata: { name: 'dev', namespace: 'team' },
    spec: { labels: { team: 'shop' }, paused: true },
  })
})

test.for([
  [['dev', '-o', 'yaml'], '--output prints what would be created: it needs --dry-run'],
  [['dev', '--dry-run', '-o', 'wide'], '--output: "wide" is not one of yaml, json'],
  [[...LOCAL, '--label', 'team'], '--label: "team" is not of the form NAME=VALUE'],
  [
    ['dev', '--paused', '--dry-run', '-o', 'yaml'],
    '--output cannot be combined with --paused, unless you pass --declare',
  ],
  [['dev', '--paused', '--crd', 'x'], '--crd=x cannot also be provided when using --paused'],
  [
    ['dev', '--paused', '--connect'],
    '--connect is for one control plane that is started, not for --paused, --count or several documents',
  ],
  [
    ['dev', '--count', '2', '--connect'],
    '--connect is for one control plane that is started, not for --paused, --count or several documents',
  ],
  [['dev', '--count', '2', '--adopt'], '--adopt=true cannot also be provided when using --count'],
  [[], 'NAME is missing'],
  [[...LOCAL, '-o', 'yaml'], 'a plane of the driver "local" has no objects to print'],
] as const)('refuses %j', async ([argv, message]) => {
  const { error, stdout } = await runCommandClass(Create, argv)

  expect.assert(error instanceof VplaneError)
  expect(error).toMatchObject({ code: 'USAGE', message })
  expect(stdout).toBe('')
})

const SHOP = `
name: web
labels: { team: shop }
---
name: api
`

const create = (...argv: string[]) =>
  runCommandClass<SeveralResult<CreateResult>>(Create, ['--driver', 'local', '--paused', ...argv])

test('creates the planes of all documents of a file, and leaves those that exist', async () => {
  const file = home.write('planes.yaml', SHOP)
  const first = await create('-f', file, '--label', 'env=test')
  const more = home.write('more.yaml', `${SHOP}---\nname: batch\n`)

  const again = await create('-f', more, '--label', 'env=test', '--json')

  expect(first.error).toBeUndefined()
  expect(first.stdout.split('\n').toSorted()).toEqual([
    '',
    '"api" is created, and paused. Nothing of it runs until its first use.',
    '"web" is created, and paused. Nothing of it runs until its first use.',
    '2 control planes are created.',
  ])
  const items = JSON.parse(again.stdout).items
  expect(items).toMatchObject([
    { name: 'web', driver: 'local', outcome: 'done', result: { name: 'web', created: false } },
    { name: 'api', outcome: 'done', error: null, result: { created: false } },
    { name: 'batch', outcome: 'done', result: { created: true, ready: false } },
  ])
  expect(breachesOf('results/create.json', { items })).toEqual([])
})

test('creates the others after a failure, sums up, and exits as that', async () => {
  await create('web')

  const { error, stdout } = await create('-f', home.write('planes.yaml', SHOP))

  expect(stdout).toContain('"api" is created')
  expect(error).toMatchObject({
    code: 'CONTROL_PLANE_EXISTS',
    message:
      '1 of 2 control planes is not created:\n  web: a control plane named "web" exists with another spec: + labels.team: "shop"',
    oclif: { exit: 4 },
  })
})

test('creates none if one document is wrong', async () => {
  const file = home.write('planes.yaml', `${SHOP}---\nname: third\netcd: { replicas: 3 }\n`)

  const { error, stdout } = await create('-f', file)

  expect(stdout).toBe('')
  expect(error).toMatchObject({ code: 'INVALID_SPEC' })
  expect(existsSync(join(home.root, 'data'))).toBe(false)
})

test('says what the creates of a file would create, and creates nothing', async () => {
  const file = home.write('planes.yaml', SHOP)

  const { result, stdout } = await create('-f', file, '--dry-run')

  expect(stdout).toMatch(/^web:\n {2}Would create "web":\n/)
  expect(stdout).toContain('\napi:\n  Would create "api":\n')
  expect(stdout).toContain('Nothing was changed.\n')
  expect(result?.items[1]).toMatchObject({ name: 'api', result: { created: false, plan: {} } })
  expect(existsSync(join(home.root, 'data'))).toBe(false)
})

test('creates planes of one spec, numbered from 1, and those that are missing when it runs again', async () => {
  const first = await create('dev', '--count', '2', '--json')
  const again = await create('dev', '--count', '11', '--parallel', '2', '--json')

  const names = (made?: SeveralResult<CreateResult>) => made?.items.map(({ name }) => name)
  expect(names(first.result)).toEqual(['dev-1', 'dev-2'])
  expect(names(again.result)?.at(-1)).toBe('dev-11')
  expect(again.result?.items.filter(({ result }) => result?.created)).toHaveLength(9)
})

test('begins no other plane of one spec after a failure', async () => {
  await create('dev-2', '--label', 'a=b')

  const { error } = await create('dev', '--count', '20', '--parallel', '1')

  expect(error).toMatchObject({
    code: 'CONTROL_PLANE_EXISTS',
    message: expect.stringMatching(
      /^stopped after a failure: 1 of 20 control planes is created, 1 failed:\n {2}dev-2: /,
    ),
  })
})

test('refuses names that are too long before it creates any', async () => {
  const { error } = await create('x'.repeat(38), '--count', '10')

  expect(error).toMatchObject({ code: 'INVALID_NAME' })
  expect(existsSync(join(home.root, 'data'))).toBe(false)
})

test.for([
  [['--count', '2'], '--count needs a single plane, and'],
  [['--timings'], '--timings needs a single plane, and'],
  [['--dry-run', '-o', 'yaml'], '--output needs a single plane, and'],
  [
    ['--connect'],
    '--connect is for one control plane that is started, not for --paused, --count or several documents',
  ],
  [['web'], 'has 2 documents, each with the name of its plane'],
] as const)('refuses %j with a file for several planes', async ([argv, message]) => {
  const file = home.write('planes.yaml', SHOP)

  const { error } = await runCommandClass(Create, ['-f', file, '--driver', 'local', ...argv])

  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(message) })
})

function kubeconfigOf({ connection }: FakeApiServer): string {
  const { certificate, certificateAuthority, key, server } = connection
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  const cluster = { server, 'certificate-authority-data': encoded(certificateAuthority) }
  const user = {
    'client-certificate-data': encoded(certificate),
    'client-key-data': encoded(key),
  }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'work',
    clusters: [{ name: 'work', cluster }],
    users: [{ name: 'work', user }],
    contexts: [{ name: 'work', context: { cluster: 'work', user: 'work' } }],
  })
}
