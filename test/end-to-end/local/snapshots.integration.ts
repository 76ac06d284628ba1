import { readFileSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Access } from '../../../src/control-plane/use-cases/access/access.ts'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { eventsSince } from '../../support/data/revisions.ts'
import { whoAmI } from '../../support/data/user-info.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

const CREATED = ['--for=create', '--timeout=180s']
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

let cli: Cli

beforeAll(async () => {
  cli = await createCli()
  await cli.ok(['create', 'dev'])
})
afterAll(() => cli[Symbol.asyncDispose]())

test('restores a plane: objects return, tokens stay valid, and watches continue', async () => {
  const file = join(cli.root, 'dev.db')
  const kubectl = (...words: string[]) => cli.ok(['connect', 'dev', '--', 'kubectl', ...words])
  await kubectl('create', 'configmap', 'before')
  await kubectl('create', 'namespace', 'team')
  await kubectl('wait', 'configmap/kube-root-ca.crt', '--namespace=team', ...CREATED)
  const token = (await kubectl('create', 'token', 'default')).trim()

  const taken = await cli.json(['snapshot', 'create', 'dev', '-o', file, '--json'])
  await kubectl('create', 'configmap', 'after')
  await kubectl('delete', 'namespace', 'team')
  const path = '-o=jsonpath={.metadata.resourceVersion}'
  const version = await kubectl('get', 'configmap', 'after', path)
  const access: Access = JSON.parse(readFileSync(cli.plane('dev').access, 'utf8'))
  await using client = createKubeClient(access)
  const stop = new AbortController()
  const seen = new Set<string>()
  const watching = (async () => {
    for await (const { object, type } of client.watch(CONFIG_MAPS, { signal: stop.signal })) {
      seen.add(`${type} ${object.metadata.name}`)
    }
  })().catch(() => {})
  await waitFor(() => Promise.resolve(seen.has('ADDED after')), {
    what: 'the watch',
    timeoutMs: 60_000,
  })

  const restore = ['restore', 'dev', '--from', file, '--force', '--json']
  const dry = await cli.json([...restore, '--dry-run'])
  const result = await cli.json([...restore, '--yes'])
  const names = await kubectl('get', 'configmaps', '-o=name')
  await kubectl('create', 'configmap', 'later')
  await waitFor(() => Promise.resolve(seen.has('ADDED later') && seen.has('DELETED after')), {
    what: 'the watch to continue',
    timeoutMs: 60_000,
  })
  stop.abort()
  await watching
  // The control plane works on what the backup said: it makes what belongs into a namespace that was gone.
  await kubectl('delete', 'configmap', 'kube-root-ca.crt', '--namespace=team')
  await kubectl('wait', 'configmap/kube-root-ca.crt', '--namespace=team', ...CREATED)
  const old = await client.text(eventsSince(Number(version)))
  const { certificateAuthority, server } = access
  await using withToken = createKubeClient({ server, certificateAuthority, token })
  const user = await whoAmI(withToken)

  expect(taken).toMatchObject({ plane: 'dev', location: file, sizeBytes: statSync(file).size })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(names.split('\n')).toContain('configmap/before')
  expect(names.split('\n')).not.toContain('configmap/after')
  expect(old.body).toContain('"code":410')
  expect(user.username).toBe('system:serviceaccount:default:default')
  expect(dry).toMatchObject({ restored: false, formerSnapshot: null, steps: result.steps })
  expect(result.steps[0]).toEqual({ action: 'take-snapshot' })
  expect(result.formerSnapshot).toMatch(/^dev-/)

  await cli.ok(['restore', 'dev', '--from', result.formerSnapshot, '--force', '--yes'])
  expect(await kubectl('get', 'configmap', 'after', '-o=name')).toBe('configmap/after\n')
})

test('continues a restore whose vplane was killed', async () => {
  const file = join(cli.root, 'whole.db')
  await cli.ok(['snapshot', 'create', 'dev', '-o', file])

  const killed = cli.start(['restore', 'dev', '--from', file, '--force', '--yes'])
  const isStopping = () => !cli.processes().some(({ name }) => name === 'kube-apiserver')
  await waitFor(() => Promise.resolve(isStopping()), {
    what: 'the stop',
    timeoutMs: 60_000,
    intervalMs: 5,
  })
  await killed.kill()
  const refusal = await cli.run(['resume', 'dev'])
  await cli.ok(['restore', 'dev', '--from', file, '--force', '--yes'])

  expect(refusal).toMatchObject({ code: 7 })
  expect(refusal.stderr).toContain('a restore of "dev" was interrupted')
  expect(cli.files().filter((path) => path.startsWith('planes/dev/etcd-'))).toEqual([])
  expect(await cli.ok(['connect', 'dev', '--', 'kubectl', 'get', 'ns', 'default', '-o=name'])).toBe(
    'namespace/default\n',
  )
})

test('makes a plane of a bundle without the first one, and its tokens hold', async () => {
  const bundle = join(cli.root, 'dev.bundle')
  const env = { VPLANE_PASSPHRASE: 'correct horse' }
  const kubectl = (plane: string, ...words: string[]) =>
    cli.ok(['connect', plane, '--', 'kubectl', ...words])
  await kubectl('dev', 'create', 'configmap', 'bundled')
  const token = (await kubectl('dev', 'create', 'token', 'default')).trim()
  await cli.ok(['snapshot', 'create', 'dev', '--bundle', '-o', bundle], { env })
  await cli.ok(['pause', 'dev'])
  const words = ['restore', '--from', bundle, '--name', 'twin', '--driver', 'local']

  const wrong = await cli.run(words, { env: { VPLANE_PASSPHRASE: 'wrong horse' } })
  await cli.ok(words, { env })
  const names = await kubectl('twin', 'get', 'configmap', 'bundled', '-o=name')
  const access: Access = JSON.parse(readFileSync(cli.plane('twin').access, 'utf8'))
  const { certificateAuthority, server } = access
  await using client = createKubeClient({ server, certificateAuthority, token })
  const user = await whoAmI(client)
  await cli.ok(['delete', 'twin', '--yes'])
  await cli.ok(['resume', 'dev'])

  expect(wrong).toMatchObject({ code: 7 })
  expect(wrong.stderr).toContain('the passphrase is not that of the bundle')
  expect(names).toBe('configmap/bundled\n')
  expect(user.username).toBe('system:serviceaccount:default:default')
})

test('stops nothing for a damaged snapshot', async () => {
  const file = join(cli.root, 'damaged.db')
  await cli.ok(['snapshot', 'create', 'dev', '-o', file])
  const bytes = await readFile(file)
  bytes[5000] = (bytes[5000] ?? 0) ^ 1
  await writeFile(file, bytes)
  const before = cli.processes().map(({ id }) => id)

  const { code, stderr } = await cli.run(['restore', 'dev', '--from', file, '--force', '--yes'])

  expect(code).toBe(7)
  expect(stderr).toContain('is damaged: its SHA-256 is not the one at its end')
  expect(cli.processes().map(({ id }) => id)).toEqual(before)
})
