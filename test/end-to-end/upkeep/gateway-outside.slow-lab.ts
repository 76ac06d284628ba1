import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { READY_AGAIN } from '../../../src/control-plane/api/readiness.ts'
import { describeInLab } from '../../lab/describe-lab.ts'
import { NODE_IMAGE } from '../../lab/images/node-recipe.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { expectWakes } from '../../support/host/wake-rounds.ts'

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

/** Who has the gateway: the namespace of the plane, or an operator. */
const WAYS = [
  ['of its namespace', []],
  ['of an operator', ['--declare']],
] as const

// Nothing gives Services their addresses here but the tests.
describeInLab('a plane that any client wakes from outside of its host', () => {
  let cli: HostCli
  let at: string[]
  let inOperator: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    inOperator = ['--namespace', await cli.makeNamespace()]
    await cli.ok(['operator', 'install', ...inOperator])
  })
  afterEach(async () => {
    await cli.run(['delete', 'dev', ...at, '--yes', '--ignore-not-found'])
  })
  afterAll(async () => {
    await cli.run(['operator', 'uninstall', ...inOperator, '--yes'])
    await cli[Symbol.asyncDispose]()
  })

  test.for(WAYS)('through a load balancer, with the gateway %s', async ([, flags]) => {
    const { ca } = await createPlane(['--expose', 'load-balancer', ...flags])
    const ip = await nodeAddress()
    const status = { status: { loadBalancer: { ingress: [{ ip }] } } }
    const patch = ['--subresource', 'status', '--type', 'merge', '--patch', JSON.stringify(status)]
    await cli.host(['patch', 'service', 'vplane-dev-api', ...at, ...patch])

    const url = `https://${ip}${READY_AGAIN}`
    await expectWakes({ cli, at }, { url, ca, servername: 'vplane-dev-api' })
  })

  test.for(WAYS)('through an Ingress, with the gateway %s', async ([, flags]) => {
    const { ca } = await createPlane(['--expose', 'ingress', '--expose-host', HOST, ...flags])
    const url = `https://${await nodeAddress()}:${await startController()}${READY_AGAIN}`

    await expectWakes({ cli, at }, { url, ca, servername: HOST })
  })

  /** A namespace with one plane, which falls asleep when nobody uses it. */
  async function createPlane(exposed: readonly string[]) {
    at = ['--namespace', await cli.makeNamespace()]
    const wakes = ['--idle', '10s', '--set', 'wake.by=any']
    await cli.ok(['create', 'dev', ...at, ...wakes, ...exposed, '--no-connect'])
    return planeUserIn(await cli.ok(['kubeconfig', 'dev', ...at, '--embed-credentials']))
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
})
