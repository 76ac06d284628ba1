import { expect, test } from 'vitest'
import { selectCrds } from '../../../src/control-plane/install/select-crds.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { crd, serviceConversion, webhookConfiguration } from '../../support/api/crd.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'

test('takes the custom resource definitions and notes all other kinds', () => {
  const ui = new RecordingUi()
  const [service, deployment] = [other('Service'), other('Deployment')]
  const objects = [service, crd('foos'), deployment, crd('bars'), service]

  expect(selectCrds(objects, ui)).toEqual([crd('foos'), crd('bars')])
  expect(ui.notes).toEqual([
    'installs custom resource definitions only, and skips Deployment, Service (2)',
  ])
  expect(ui.warnings).toEqual([])
})

test('says nothing when there is nothing to say', () => {
  const ui = new RecordingUi()

  selectCrds([crd('foos')], ui)

  expect([...ui.notes, ...ui.warnings, ...ui.steps]).toEqual([])
})

test('leaves out patches of definitions, as kustomize has them', () => {
  const patch = { ...crd('foos'), spec: serviceConversion('system', 'webhooks') }
  const ui = new RecordingUi()

  expect(selectCrds([patch, crd('foos')], ui)).toEqual([crd('foos')])
  expect(ui.warnings).toEqual([])
})

test('warns of a conversion by a Service', () => {
  const ui = new RecordingUi()
  const definition = crd('foos', serviceConversion('system', 'webhooks'))

  expect(selectCrds([definition], ui)).toEqual([definition])
  expect(ui.warnings).toEqual([
    'CustomResourceDefinition "foos.example.com" calls the Service "system/webhooks", which no pod can back in a ' +
      'plane without nodes: requests that convert between its versions will fail',
  ])
})

test('warns once of every Service that webhooks call', () => {
  const ui = new RecordingUi()
  const service = { service: { namespace: 'a', name: 'one' } }
  const clients = [service, service, { service: { namespace: 'a', name: 'two' } }]

  selectCrds([webhookConfiguration('MutatingWebhookConfiguration', 'hooks', clients), crd('x')], ui)

  expect(ui.warnings).toEqual([
    expect.stringMatching(/^MutatingWebhookConfiguration "hooks" calls the Service "a\/one"/),
    expect.stringMatching(/"a\/two", which no pod can back .* it is skipped$/),
  ])
})

test('does not warn of webhooks and conversions with a URL', () => {
  const ui = new RecordingUi()
  const url = { url: 'https://127.0.0.1:9443/' }
  const converted = crd('foos', { conversion: { webhook: { clientConfig: url } } })
  const unconverted = crd('bars', { conversion: { strategy: 'None' } })
  const hooks = webhookConfiguration('ValidatingWebhookConfiguration', 'hooks', [url])

  selectCrds([converted, unconverted, hooks], ui)

  expect(ui.warnings).toEqual([])
})

test('counts the last of two definitions of one name, and warns when they differ', () => {
  const ui = new RecordingUi()
  const later = crd('foos', { scope: 'Cluster' })

  expect(selectCrds([crd('foos'), crd('foos'), later], ui)).toEqual([later])
  expect(ui.warnings).toEqual([
    'CustomResourceDefinition "foos.example.com" exists twice and differs: the last one is used',
  ])
})

test('refuses objects among which there is no definition', () => {
  expect(() => selectCrds([other('Pod'), other('Pod')], new RecordingUi())).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: 'found no custom resource definition, only Pod (2)',
    }),
  )
})

test('takes nothing from nothing', () => {
  expect(selectCrds([], new RecordingUi())).toEqual([])
})

function other(kind: string): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'x' } }
}
