import { KubeConfig } from '@kubernetes/client-node'
import * as fc from 'fast-check'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { findVplaneContexts } from '../../../src/kubeconfig/contexts/read-contexts.ts'
import { renderKubeconfig } from '../../../src/kubeconfig/contexts/entry-items.ts'
import { CA, CERTIFICATE, embeddedEntry, execEntry, KEY } from '../entries.ts'

test('is a kubeconfig of one context with embedded credentials', () => {
  const config = load(renderKubeconfig(embeddedEntry('dev')))

  expect(config.getCurrentContext()).toBe('vplane_dev')
  expect(config.getCurrentCluster()).toMatchObject({
    server: 'https://127.0.0.1:20443',
    caData: base64(CA),
    skipTLSVerify: false,
  })
  expect(config.getCurrentUser()).toMatchObject({
    certData: base64(CERTIFICATE),
    keyData: base64(KEY),
  })
})

test('names the credential plugin as client-go wants it', () => {
  const config = load(renderKubeconfig(execEntry('dev')))

  expect(config.getCurrentUser()?.exec).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/opt/vplane-credential',
    args: ['local', 'dev'],
    installHint: expect.stringContaining('npm install --global vplane'),
    interactiveMode: 'Never',
    provideClusterInfo: true,
  })
})

test('is marked as a context of vplane', () => {
  const origin = {
    writtenBy: '0.1.0',
    plane: 'dev',
    driver: 'kubernetes',
    namespace: 'team',
    hostContext: 'kind',
  } as const

  const text = renderKubeconfig(execEntry('dev', { origin }))

  const extension = { ...origin, formatVersion: 1, undo: { added: [], replaced: {} } }
  expect(findVplaneContexts(text)).toMatchObject([{ name: 'vplane_dev', extension }])
})

test('means the same to every reader, whatever the names are', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(
      'on',
      '1e3',
      '0755',
      'null',
      '~',
      '2020-01-01',
      "a: b\nusers: [{name: 'x'}]",
      '"',
      '\\',
    ),
  )
  fc.assert(
    fc.property(hostile, hostile, (name, command) => {
      const text = renderKubeconfig(
        execEntry('dev', { name, user: { kind: 'exec', command, args: [command, name] } }),
      )
      const expected = {
        'current-context': name,
        contexts: [{ name, context: { cluster: name, user: name } }],
        clusters: [{ name }],
        users: [{ name, user: { exec: { command, args: [command, name] } } }],
      }

      expect(parse(text)).toMatchObject(expected)
      expect(parse(text, { version: '1.1' })).toMatchObject(expected)
      expect(load(text).getCurrentUser()).toMatchObject({ name, exec: { command } })
    }),
  )
})

function load(text: string): KubeConfig {
  const config = new KubeConfig()
  config.loadFromString(text)
  return config
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
