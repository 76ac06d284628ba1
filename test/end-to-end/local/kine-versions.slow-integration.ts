import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { KINE_VERSION } from '../../../src/control-plane/store/kine-version.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { streamedList } from '../../support/data/streamed-list.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'

/** The release that planes of an earlier vplane have. */
const FORMER = '0.16.4'

describe('sqlite with every version of Kubernetes', () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for(knownKubernetesVersions())(
    'stores, watches and streams lists with %s',
    async (version) => {
      const name = `light-${version.replaceAll('.', '-')}`
      const place = ['--driver', 'local', '--version', version, '--set', 'store.kine.sqlite={}']
      await cli.ok(['create', name, ...place])
      const kubectl = (...args: string[]) =>
        cli.ok(['connect', name, '--', cli.binaries.kubectl, ...args])
      await kubectl('create', 'configmap', 'kept')
      const user = planeUserIn(await cli.ok(['kubeconfig', name, '--embed-credentials']))

      const streamed = await streamedList(user)
      await cli.ok(['pause', name])
      await cli.ok(['resume', name])

      expect(streamed).toContain('"name":"kept"')
      expect(streamed).toContain('"type":"BOOKMARK"')
      expect(await kubectl('get', 'configmaps', '-o', 'name')).toContain('configmap/kept')
      await cli.ok(['delete', name, '--yes'])
    },
  )

  test(`takes over the file of kine ${FORMER}`, async () => {
    const kubectl = (...args: string[]) =>
      cli.ok(['connect', 'former', '--', cli.binaries.kubectl, ...args])
    const place = ['--driver', 'local', '--set', 'store.kine.sqlite={}']
    await cli.ok(['create', 'former', ...place, '--paused'])
    setKine('former', FORMER)
    await cli.ok(['resume', 'former'])
    await kubectl('create', 'configmap', 'before')

    const plan = await cli.ok(['upgrade', 'former', '--dry-run'])
    const upgraded = await cli.json(['upgrade', 'former', '--yes', '--json'])
    await kubectl('create', 'configmap', 'after')
    const { spec } = await cli.json(['describe', 'former', '--json'])
    const again = await cli.json(['upgrade', 'former', '--yes', '--json'])

    expect(plan).toContain('restart kine')
    expect(upgraded).toMatchObject({ changed: true })
    expect(spec).toMatchObject({ kineVersion: KINE_VERSION })
    expect(again).toMatchObject({ changed: false })
    const kept = await kubectl('get', 'configmaps', '-o', 'name')
    expect(kept).toContain('configmap/before')
    expect(kept).toContain('configmap/after')
    await cli.ok(['delete', 'former', '--yes'])
  })

  /** The kine that a paused plane starts with. */
  function setKine(name: string, version: string): void {
    const { record } = cli.plane(name)
    const stored = JSON.parse(readFileSync(record, 'utf8'))
    writeFileSync(
      record,
      JSON.stringify({ ...stored, spec: { ...stored.spec, kineVersion: version } }),
    )
  }
})
