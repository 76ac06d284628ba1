import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'
import { streamedList } from '../../support/data/streamed-list.ts'
import { planeUserIn } from '../../support/driver/plane-requests.ts'

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
})
