import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMPONENT_NAMES, type ComponentName } from '../../../src/control-plane/plane/plane.ts'
import { isAlive, readProcessRecord } from '../../../src/shared/processes/launch/process-record.ts'
import { processTableOf } from '../../../src/shared/processes/process-table-of.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

describe('the context of a plane', () => {
  let cli: Cli
  const getKept = () => cli.kubectl(['get', 'configmap', 'kept', '-o', 'name'])
  const kept = { code: 0, stdout: 'configmap/kept\n' }

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev', '--connect'])
    const { code, stderr } = await cli.kubectl(['create', 'configmap', 'kept'])
    expect(code, stderr).toBe(0)
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('asks a launcher for its credential, which only its owner can read and run', () => {
    const text = readFileSync(cli.kubeconfig, 'utf8')

    const command = /command: "?([^"\n]+)/.exec(text)?.[1] ?? ''
    expect(command).toBe(join(cli.root, 'data/vplane/bin/vplane-credential'))
    expect(statSync(command).mode & 0o777).toBe(0o700)
    expect(text).not.toContain('client-key-data')
  })

  test('starts a paused plane', async () => {
    await cli.ok(['pause', 'dev'])

    const got = await getKept()
    expect(got, got.stderr).toMatchObject(kept)
    await expect.poll(() => statusOf(cli)).toBe('Ready')
  })

  test('starts a paused plane from a shell whose variables name other folders', async () => {
    await cli.ok(['pause', 'dev'])
    const env = { VPLANE_HOME: join(cli.root, 'other'), XDG_DATA_HOME: join(cli.root, 'other') }

    const got = await cli.kubectl(['get', 'configmap', 'kept', '-o', 'name'], { env })

    expect(got, got.stderr).toMatchObject(kept)
    expect(existsSync(env.VPLANE_HOME)).toBe(false)
  })

  test.for(COMPONENT_NAMES)('starts %s again after kill -9', async (component) => {
    await cli.ok(['resume', 'dev'])
    await kill(cli, component)

    const { code, stderr, stdout } = await getKept()

    expect({ code, stdout }, stderr).toEqual(kept)
    await expect.poll(() => statusOf(cli)).toBe('Ready')
  })

  test('starts all components again after kill -9 of all of them, as after a reboot', async () => {
    await cli.ok(['resume', 'dev'])
    await kill(cli, ...COMPONENT_NAMES)
    expect(await statusOf(cli)).toBe('Stopped')

    const got = await getKept()
    expect(got, got.stderr).toMatchObject(kept)
    await expect.poll(() => statusOf(cli)).toBe('Ready')
  })

  test('serves ten clients at once that find the plane at rest', async () => {
    await cli.ok(['pause', 'dev'])

    const results = await Promise.all(Array.from({ length: 10 }, getKept))

    for (const result of results) {
      expect(result, result.stderr).toMatchObject(kept)
    }
    expect(cli.processes()).toHaveLength(3)
  })

  test('is rewritten when another program took the port while the plane rested, and works at the next try', async () => {
    await cli.ok(['pause', 'dev'])
    const { ports } = JSON.parse(readFileSync(cli.plane('dev').record, 'utf8'))
    const other = createServer((socket) => socket.destroy()).listen(ports.apiServer, '127.0.0.1')
    await once(other, 'listening')

    const first = await getKept()
    const second = await getKept()

    other.close()
    expect(first.code).not.toBe(0)
    expect(first.stderr).toContain('run the command again')
    expect(second, second.stderr).toMatchObject(kept)
  })

  test('works with another vplane on PATH when the one that wrote it is gone', async () => {
    // As long as the plane runs, the launcher needs no vplane at all.
    await cli.ok(['pause', 'dev'])
    const launcher = join(cli.root, 'data/vplane/bin/vplane-credential')
    const original = readFileSync(launcher, 'utf8')
    const gone = original.replace(/^script=.*$/m, `script='${cli.root}/gone/bin/vplane.js'`)
    expect(gone).not.toBe(original)
    writeFileSync(launcher, gone)
    const folder = join(cli.root, 'another/bin')
    mkdirSync(folder, { recursive: true })
    const vplane = `#!/bin/sh\nexec '${process.execPath}' '${packageRoot()}/bin/vplane.js' "$@"\n`
    writeFileSync(join(folder, 'vplane'), vplane)

    const without = await getKept()
    chmodSync(join(folder, 'vplane'), 0o755)
    const PATH = [folder, cli.environment['PATH']].join(delimiter)
    const withAnother = await cli.kubectl(['get', 'configmap', 'kept', '-o', 'name'], {
      env: { PATH },
    })
    await cli.ok(['list'])

    expect(without.stderr).toContain('npm install --global vplane')
    expect(withAnother, withAnother.stderr).toMatchObject(kept)
    // The next process records itself.
    expect(readFileSync(launcher, 'utf8')).toBe(original)
  })

  test('says that the plane is gone when someone else deleted it', async () => {
    const other = join(cli.root, 'other-kubeconfig')
    await cli.ok(['create', 'gone', '--ephemeral', '--connect'], { env: { KUBECONFIG: other } })
    await cli.ok(['delete', 'gone', '--yes'])

    const { code, stderr } = await cli.kubectl(['get', 'ns'], { env: { KUBECONFIG: other } })

    expect(existsSync(other)).toBe(true)
    expect(code).toBe(1)
    expect(stderr).toContain('no control plane named "gone"')
  })
})

async function statusOf(cli: Cli): Promise<string> {
  const planes: Array<{ status: string }> = (await cli.json(['list', '--json'])).items
  return planes.map(({ status }) => status).join()
}

/** Killed processes count as living, as the kernel has it, until their files and ports are free too. */
async function kill(cli: Cli, ...components: readonly ComponentName[]): Promise<void> {
  const table = processTableOf(process.platform)
  const records = components.flatMap(
    (component) => readProcessRecord(cli.plane('dev').processOf(component)) ?? [],
  )
  expect(records).toHaveLength(components.length)
  records.forEach(({ processId }) => process.kill(processId, 'SIGKILL'))
  await waitFor(() => Promise.resolve(!records.some((record) => isAlive(record, table))), {
    what: 'the end of the components',
    timeoutMs: 60_000,
    intervalMs: 5,
  })
}
