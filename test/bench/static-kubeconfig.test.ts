import { expect, test } from 'vitest'
import { accessIn, staticKubeconfig } from '../../bench/static-kubeconfig.ts'

const ACCESS = {
  server: 'https://192.0.2.7:30443',
  certificateAuthority: 'authority',
  certificate: 'certificate',
  key: 'key',
}

test('a static kubeconfig has all that a client needs, and a current context', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const cluster = {
    server: 'https://192.0.2.7:30443',
    'certificate-authority-data': base64('authority'),
  }
  const user = {
    'client-certificate-data': base64('certificate'),
    'client-key-data': base64('key'),
  }

  expect(JSON.parse(staticKubeconfig(ACCESS))).toMatchObject({
    clusters: [{ name: 'static', cluster }],
    users: [{ user }],
    contexts: [{ name: 'static', context: { cluster: 'static', user: 'static' } }],
    'current-context': 'static',
  })
})

test.for([
  [undefined, false],
  ['kubernetes', true],
] as const)('says another name of the server only when there is one: %s', ([serverName, has]) => {
  const text = staticKubeconfig(serverName === undefined ? ACCESS : { ...ACCESS, serverName })

  expect(text.includes('"tls-server-name":"kubernetes"')).toBe(has)
})

test('reads the credentials and the address from a kubeconfig', () => {
  expect(accessIn(staticKubeconfig(ACCESS))).toEqual(ACCESS)
})
