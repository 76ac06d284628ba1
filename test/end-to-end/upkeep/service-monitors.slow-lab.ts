import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DebugResult } from '../../../src/commands/debug.ts'
import type { EventsResult } from '../../../src/commands/events.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { textOfArchive } from '../../support/data/debug-archive.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { knowServiceMonitors } from '../../support/host/planes/service-monitors.ts'

const MISSING = 'the host has no ServiceMonitor (monitoring.coreos.com/v1)'

// In their order: all of them are about one plane.
describeOnHost('the ServiceMonitors of a plane', { shuffle: false }, () => {
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
    await cli.ok(['create', 'dev', ...at, '--sync', '--service-monitor', ...labels])
    await cli.host(['rollout', 'status', 'deployment/vplane-keeper', ...at])

    const { metadata, spec } = await cli.hostJson(['get', 'servicemonitor/vplane-keeper', ...at])
    const [{ path, port }] = spec.endpoints
    const matched: Record<string, string> = spec.selector.matchLabels
    const selector = Object.entries(matched).map(([key, of]) => `${key}=${of}`)
    const wanted = ['--selector', selector.join(','), '-o=name']
    const services = await cli.host(['get', 'services', ...at, ...wanted])
    const service = services.trim().replace('service/', '')
    const raw = `/api/v1/namespaces/${at[1]}/services/${service}:${port}/proxy${path}`
    const scrape = () => cli.host(['get', '--raw', raw])

    expect(metadata.labels).toMatchObject({ release: 'prometheus', 'vplane.dev/shared': 'keeper' })
    await expect.poll(scrape, { timeout: 60_000 }).toContain('vplane_kube_apiserver_ready')
  })

  test.for([
    ['etcd', /^etcd_server_has_leader 1$/m],
    ['kube-apiserver', /^apiserver_request_total\{/m],
    ['kube-controller-manager', /^workqueue_adds_total\{/m],
    ['syncer', /^vplane_syncer_leading 1$/m],
    ['keeper', /^vplane_kube_apiserver_ready\{plane="dev"\} 1$/m],
  ] as const)(
    'are not all: metrics shows what %s says of its own work',
    async ([name, expected]) => {
      const said = () => cli.ok(['metrics', 'dev', ...at, '--component', name])

      await expect.poll(said, { timeout: 60_000 }).toMatch(expected)
    },
  )

  test('events and debug show the same plane, with all of its components', async () => {
    const file = join(cli.root, 'debug.tar.gz')
    const { items: events }: EventsResult = await cli.json(['events', 'dev', ...at, '--json'])
    const debug = ['debug', 'dev', ...at, '--output', file, '--json']
    const { files, missing }: DebugResult = await cli.json(debug)
    const scheduler = await cli.run(['metrics', 'dev', ...at, '--component', 'kube-scheduler'])

    const objects = events.map(({ object }) => object)
    expect(objects).toContain('Pod/vplane-dev-etcd-0')
    expect(objects.filter((object) => !/vplane-(dev-|keeper)/.test(object))).toEqual([])
    expect(missing).toEqual([])
    expect(files).toEqual(
      expect.arrayContaining([
        'etcd.json',
        'diagnosis.json',
        'certificates.json',
        'api/readyz.txt',
        'logs/syncer.log',
        'logs/keeper.log',
        'host/servicemonitors/vplane-keeper.yaml',
      ]),
    )
    expect(textOfArchive(file, 'metrics.txt')).toContain('vplane_etcd_member_up')
    expect(scheduler.code).toBe(2)
    expect(scheduler.stderr).toContain('"dev" has no kube-scheduler')
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
    expect(await monitoring()).toContain('servicemonitor.monitoring.coreos.com/vplane-keeper')
    expect(await monitoring()).toContain('service/vplane-keeper')
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
    const ofKeeper = ['--selector', 'vplane.dev/shared=keeper', '-o=name']
    return cli.host(['get', 'servicemonitors,services', ...at, ...ofKeeper])
  }
})
