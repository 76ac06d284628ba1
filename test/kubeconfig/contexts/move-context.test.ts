import { expect, test } from 'vitest'
import { moveContext } from '../../../src/kubeconfig/contexts/move-context.ts'
import { removeContext } from '../../../src/kubeconfig/contexts/remove-context.ts'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { CA, CERTIFICATE, execEntry } from '../entries.ts'

const FILE = 'contexts:\n- name: kind\ncurrent-context: kind # usual\n'
const connected = setContext(FILE, execEntry('dev'))
const BUNDLE = CERTIFICATE + CA
const moved = { name: 'vplane_dev', server: 'https://127.0.0.1:9', certificateAuthorityData: CA }

test('changes the address and nothing else', () => {
  expect(moveContext(connected, moved)).toBe(connected.replace('127.0.0.1:20443', '127.0.0.1:9'))
})

test('changes the certificate authority', () => {
  const text = moveContext(connected, { ...moved, certificateAuthorityData: BUNDLE })

  expect(text).toContain(`certificate-authority-data: "${btoa(BUNDLE)}"`)
  expect(removeContext(text, 'vplane_dev')).toBe(FILE)
})

test('changes the certificate authority alone when no address is given', () => {
  const { server: _, ...trusting } = { ...moved, certificateAuthorityData: BUNDLE }

  const text = moveContext(connected, trusting)

  expect(text).toBe(moveContext(connected, { ...trusting, server: 'https://127.0.0.1:20443' }))
  expect(text).not.toBe(connected)
})

test('works in JSON', () => {
  const json = setContext('{"contexts": []}', execEntry('dev'))

  expect(moveContext(json, moved)).toBe(json.replace('127.0.0.1:20443', '127.0.0.1:9'))
})

test.for([
  ['no such context', FILE],
  ['a context that is there already', moveContext(connected, moved)],
  [
    'a context of another plane of this name',
    setContext(FILE, execEntry('dev', { certificateAuthorityData: CERTIFICATE })),
  ],
  [
    'a context whose user wrote other CAs',
    connected.replace('certificate-authority-data', 'certificate-authority'),
  ],
  [
    'a context that vplane did not write',
    'contexts:\n- name: vplane_dev\nclusters:\n- name: vplane_dev\n',
  ],
] as const)('leaves %s as it is', ([, text]) => {
  expect(moveContext(text, moved)).toBe(text)
})

test('refuses to change a cluster with an anchor', () => {
  const text = `${connected}x: *c\n`.replace('    server:', '    server: &c')

  expect(() => moveContext(text, moved)).toThrow(expect.objectContaining({ code: 'FAILED' }))
})
