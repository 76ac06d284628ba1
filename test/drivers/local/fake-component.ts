import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'

// A fake component: `node fake-component.ts BINARY FLAGS...`. The file beside the binary has a line for each start with
// what it does; the last line is repeated. It records a stop in `starts` beside it.
const [binary = '', ...args] = process.argv.slice(2)
const name = basename(binary)
const lines = readFileSync(`${binary}.does`, 'utf8').trimEnd().split('\n')
const [behaviour = 'serve', ...later] = lines
if (later.length > 0) {
  writeFileSync(`${binary}.does`, later.join('\n'))
}

if (behaviour.startsWith('die ')) {
  process.stderr.write(`${behaviour.slice('die '.length).replaceAll('\\n', '\n')}\n`)
  process.exit(1)
}
process.stderr.write(`${name} runs\n`)
process.on('SIGTERM', () => {
  appendFileSync(join(binary, '../starts'), `${name} stopped\n`)
  process.exit(0)
})
setInterval(() => {}, 60_000)
if (behaviour === 'serve' || behaviour === 'listen and die') {
  serve()
}

function serve(): void {
  if (name === 'etcd') {
    const configuration = JSON.parse(readFileSync(flag('config-file'), 'utf8'))
    const folder = join(configuration['data-dir'], 'member/snap')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'db'), 'data', { mode: 0o600 })
    const clientPort = Number(new URL(configuration['listen-client-urls']).port)
    if (behaviour === 'listen and die') {
      createServer(() => process.exit(1)).listen(clientPort, '127.0.0.1')
      return
    }
    mkdirSync(join(folder, '../wal'), { recursive: true, mode: 0o700 })
    listen(Number(new URL(configuration['listen-peer-urls']).port))
    listen(clientPort)
  } else {
    const cert = readFileSync(flag('tls-cert-file'))
    const key = readFileSync(flag('tls-private-key-file'))
    createHttpsServer({ cert, key }, (_, response) => response.end('ok'))
      .on('error', ({ message }) => {
        process.stderr.write(`${message}\n`)
        process.exit(1)
      })
      .listen(Number(flag('secure-port')), flag('bind-address'))
  }
}

function listen(port: number): void {
  createServer((socket) => socket.on('error', () => {}).end()).listen(port, '127.0.0.1')
}

function flag(wanted: string): string {
  const prefix = `--${wanted}=`
  const found = args.find((argument) => argument.startsWith(prefix))
  return found?.slice(prefix.length) ?? ''
}
