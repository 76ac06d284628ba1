import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canRunLab } from '../../lab/lab.ts'
import { createHostCli, type HostCli } from '../../support/host-cli.ts'
import { knowServiceMonitors } from '../../support/service-monitors.ts'

const MISSING = 'the host has no ServiceMonitor (monitoring.coreos.com/v1)'

// In their order: all of them are about one plane.
describe.skipIf(canRunLab() !== undefined)(
  'the ServiceMonitors of a plane',
  { shuffle: false, timeout: 240_000 },
  () => {
    let cli: HostCli
    let at: string[]
    let operator: AsyncDisposable

    beforeAll(async () => {
      cli = await createHostCli()
      at = ['--namespace', await cli.makeNamespace()]
    })
    afterAll(async () => {
      await operator[Symbol.asyncDispose]()
      await cli[Symbol.asyncDispose]()
    })

    test('are refused by a host that knows none, before anything is made', async () => {
      const { code, stderr } = await cli.run(['create', 'dev', ...at, '--service-monitor'])
      const left = await cli.host(['get', 'service,deployment,secret', ...at, '-o=name'])

      operator = await knowServiceMonitors(cli.lab)
      expect(code).toBe(7)
      expect(stderr).toContain(MISSING)
      expect(stderr).toContain('install the CRDs of the Prometheus operator')
      expect(left).toBe('')
    })

    test('lead to what the keeper says of the plane', async () => {
      const labels = ['--set', 'metrics.labels.release=prometheus']
      await cli.ok(['create', 'dev', ...at, '--service-monitor', ...labels])
      await cli.host(['rollout', 'status', 'deployment/vplane-dev-keeper', ...at])

      const { metadata, spec } = JSON.parse(
        await cli.host(['get', 'servicemonitor/vplane-dev-keeper', ...at, '-o=json']),
      )
      const [{ path, port }] = spec.endpoints
      const matched: Record<string, string> = spec.selector.matchLabels
      const selector = Object.entries(matched).map(([key, of]) => `${key}=${of}`)
      const wanted = ['--selector', selector.join(','), '-o=name']
      const services = await cli.host(['get', 'services', ...at, ...wanted])
      const service = services.trim().replace('service/', '')
      const raw = `/api/v1/namespaces/${at[1]}/services/${service}:${port}/proxy${path}`
      const scrape = () => cli.host(['get', '--raw', raw])

      expect(metadata.labels).toMatchObject({ release: 'prometheus', 'vplane.dev/name': 'dev' })
      await expect.poll(scrape, { timeout: 60_000 }).toContain('vplane_kube_apiserver_ready')
    })

    test('are shown by render, and not without being asked for', async () => {
      const rendered = await cli.ok(['render', 'other', ...at, '--service-monitor'])

      expect(rendered).toMatch(/^kind: "?ServiceMonitor/m)
      expect(await cli.ok(['render', 'other', ...at])).not.toContain('ServiceMonitor')
    })

    test('come and go with the spec', async () => {
      await cli.ok(['set', 'dev', ...at, 'metrics-', '--yes'])
      expect(await monitoring()).toBe('')

      await cli.ok(['set', 'dev', ...at, 'metrics.serviceMonitor=true', '--yes'])
      expect(await monitoring()).toContain('servicemonitor.monitoring.coreos.com/vplane-dev-keeper')
      expect(await monitoring()).toContain('service/vplane-dev-keeper')
    })

    test('keep no plane from starting when the host knows them no more', async () => {
      await operator[Symbol.asyncDispose]()

      await cli.ok(['pause', 'dev', ...at, '--no-snapshot'])
      await cli.ok(['resume', 'dev', ...at])
      await cli.ok(['set', 'dev', ...at, 'metrics-', '--yes'])
      const again = ['set', 'dev', ...at, 'metrics.serviceMonitor=true', '--yes']
      const { code, stderr } = await cli.run(again)

      expect(code).toBe(7)
      expect(stderr).toContain(MISSING)
    })

    test('are deleted with the plane', async () => {
      operator = await knowServiceMonitors(cli.lab)
      await cli.ok(['set', 'dev', ...at, 'metrics.serviceMonitor=true', '--yes'])

      await cli.ok(['delete', 'dev', ...at, '--yes'])

      expect(await monitoring()).toBe('')
    })

    function monitoring(): Promise<string> {
      const ofKeeper = ['--selector', 'vplane.dev/component=keeper', '-o=name']
      return cli.host(['get', 'servicemonitors,services', ...at, ...ofKeeper])
    }
  },
)
