import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { type ConnectedPlane, connectedPlane } from '../../support/cli/connected-plane.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

describeOnHost('the address of a tunnel', () => {
  let cli: HostCli
  let plane: ConnectedPlane
  const kubectl = () => cli.kubectl(['get', 'namespaces'])
  const listed = async (): Promise<unknown> =>
    (await cli.json(['list', '--namespace', plane.namespace, '--json'])).items

  beforeAll(async () => {
    cli = await createHostCli()
    plane = await connectedPlane(cli, 'dev')
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('moves, with the context, when another program has taken its port', async () => {
    const { port } = plane.tunnel()
    await plane.killTunnel()
    await using _other = await listener(port)

    const first = await kubectl()
    const second = await kubectl()

    expect(first.code, first.stderr).toBe(1)
    expect(first.stderr).toContain('its context is rewritten: run the command again')
    expect(second.code, second.stderr).toBe(0)
    expect(plane.tunnel().port).not.toBe(port)
  })

  test('is one, however many connect at once', async () => {
    await cli.ok(['disconnect', 'dev'])
    expect(cli.processes()).toEqual([])

    await Promise.all(
      Array.from({ length: 3 }, () => cli.ok(['connect', 'dev', '--namespace', plane.namespace])),
    )
    const { code, stderr } = await kubectl()

    expect(code, stderr).toBe(0)
    expect(cli.processes()).toHaveLength(1)
    const address = `127.0.0.1:${plane.tunnel().port}`
    expect(await listed()).toMatchObject([{ name: 'dev', tunnel: { address, up: true } }])
  })

  test('is listed as down when its process is gone', async () => {
    await kubectl()

    await plane.killTunnel()

    expect(await listed()).toMatchObject([{ name: 'dev', tunnel: { up: false } }])
    expect((await kubectl()).code).toBe(0)
  })

  test('is given up when the plane is deleted', async () => {
    const doomed = await connectedPlane(cli, 'doomed')
    const { code, stderr } = await kubectl()
    expect(code, stderr).toBe(0)

    await cli.ok(['delete', 'doomed', '--namespace', doomed.namespace, '--yes'])

    const names = cli.processes().flatMap(({ args }) => args)
    expect(names.filter((name) => name.includes('doomed'))).toEqual([])
    const folders = readdirSync(join(cli.root, 'data/vplane/tunnels'))
    expect(folders.filter((name) => name.includes('doomed'))).toEqual([])
  })
})

/** Another program that listens on a port. */
async function listener(port: number): Promise<AsyncDisposable> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
