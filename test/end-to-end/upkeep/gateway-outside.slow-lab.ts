import { afterAll, beforeAll, expect, test } from 'vitest'
import { READY_AGAIN } from '../../../src/control-plane/api/readiness.ts'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { describeInLab } from '../../lab/describe-lab.ts'
import { NODE_IMAGE } from '../../lab/images/node-recipe.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'
import { comeAgain, unexpectedOf } from '../../support/host/come-again.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

const PATIENT = { timeout: 180_000, interval: 250 }
const HOST = 'dev.example.com'

/** Passes TLS through as an ingress controller does: by the name that a client asks for, to the Service of the Ingress. */
const CONTROLLER = `
  import { connect, createServer } from 'node:net'
  createServer((client) => {
    client.on('error', () => client.destroy())
    client.once('data', (hello) => {
      if (!hello.includes('${HOST}')) {
        return client.destroy()
      }
      const plane = connect(443, 'vplane-dev-api')
      plane.on('error', () => client.destroy())
      plane.write(hello)
      plane.pipe(client).pipe(plane)
    })
  }).listen(8443)`

// Nothing gives Services their addresses here but the tests.
describeInLab('a plane that any client wakes from outside of its host', () => {
  let cli: HostCli
  let at: string[]

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('through a load balancer', async () => {
    const user = await createPlane(['--expose', 'load-balancer'])
    const ip = await nodeAddress()
    const status = { status: { loadBalancer: { ingress: [{ ip }] } } }
    const patch = ['--subresource', 'status', '--type', 'merge', '--patch', JSON.stringify(status)]
    await cli.host(['patch', 'service', 'vplane-dev-api', ...at, ...patch])

    await expectServed(`https://${ip}`, { ca: user.ca, servername: 'vplane-dev-api' })
  })

  test('through an Ingress', async () => {
    const user = await createPlane(['--expose', 'ingress', '--expose-host', HOST])
    const port = await startController()

    await expectServed(`https://${await nodeAddress()}:${port}`, { ca: user.ca, servername: HOST })
  })

  /** A namespace with one plane, which falls asleep when nobody uses it. */
  async function createPlane(exposed: readonly string[]) {
    at = ['--namespace', await cli.makeNamespace()]
    const wakes = ['--idle', '10s', '--set', 'wake.by=any']
    await cli.ok(['create', 'dev', ...at, ...wakes, ...exposed, '--no-connect'])
    return planeUserIn(await cli.ok(['kubeconfig', 'dev', ...at, '--embed-credentials']))
  }

  /** A client that connects every 20 ms sees the plane fall asleep and wake, and is always served. */
  async function expectServed(
    server: string,
    tls: { ca: string; servername: string },
  ): Promise<void> {
    const outcomes = new Map<string, number>()
    using client = comeAgain(server + READY_AGAIN, { ...tls, outcomes })
    await expect.poll(async () => (await described()).wakes?.count, PATIENT).toBe(1)
    await client.end()

    expect(unexpectedOf(outcomes, (await described()).wakes?.recent)).toEqual([])
    expect(outcomes.get('200')).toBeGreaterThan(100)
  }

  async function startController(): Promise<number> {
    const labels = { app: 'controller' }
    const container = {
      name: 'controller',
      image: NODE_IMAGE,
      command: ['node', '--input-type=module', '-e', CONTROLLER],
    }
    const pod = { metadata: { name: 'controller', labels }, spec: { containers: [container] } }
    const ports = [{ port: 443, targetPort: 8443 }]
    const service = {
      metadata: { name: 'controller' },
      spec: { type: 'NodePort', selector: labels, ports },
    }
    await cli.host(['apply', ...at, '-f', '-'], { apiVersion: 'v1', kind: 'Pod', ...pod })
    await cli.host(['apply', ...at, '-f', '-'], { apiVersion: 'v1', kind: 'Service', ...service })
    await cli.host(['wait', 'pod/controller', ...at, '--for=condition=Ready', '--timeout=120s'])
    const path = '-o=jsonpath={.spec.ports[0].nodePort}'
    return Number(await cli.host(['get', 'service/controller', ...at, path]))
  }

  function nodeAddress(): Promise<string> {
    const path = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}'
    return cli.host(['get', 'nodes', '--output', `jsonpath=${path}`])
  }

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'dev', ...at, '--json'])
  }
})
