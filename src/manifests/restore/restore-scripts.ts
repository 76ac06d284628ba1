/** Where the pod of an etcd member takes a snapshot, on its own loopback address: only a port-forward gets there. */
export const RECEIVING_PORT = 2399

/** The init container that takes the snapshot. */
export const RECEIVER = 'receive-snapshot'

/** The init container that puts the data made of it in place. */
export const PLACER = 'place-data'

/** What both scripts go by. */
export interface RestoreEnvironment {
  /** Folder of the volume: the data is in `data` below it. */
  VPLANE_VOLUME: string
  /** Where the snapshot is put. */
  VPLANE_SNAPSHOT: string
  /** Of the snapshot, hexadecimal. */
  VPLANE_SHA256: string
  VPLANE_BYTES: string
  /** Names the folder for the data that the plane has now. */
  VPLANE_FORMER: string
}

/**
 * JavaScript for `node -e`: takes the snapshot from whoever connects, and ends when its SHA-256 is the one that is wanted.
 * Begun again, it needs no second copy. First it removes what earlier restores left: then there is room.
 */
export const RECEIVE_SCRIPT = `
const fs = require('node:fs')
const { createHash } = require('node:crypto')
const { VPLANE_VOLUME: volume, VPLANE_SNAPSHOT: file, VPLANE_SHA256: sha256, VPLANE_BYTES: bytes, VPLANE_FORMER: former } = process.env
for (const name of fs.readdirSync(volume)) {
  if (name === 'restored' || (name.startsWith('etcd-before-') && name !== former)) {
    fs.rmSync(volume + '/' + name, { recursive: true })
  }
}
if (!fs.existsSync(file)) {
  const server = require('node:net').createServer((socket) => {
    const draft = file + '.' + socket.remotePort
    const out = fs.openSync(draft, 'w', 0o600)
    const hash = createHash('sha256')
    let left = Number(bytes)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => fs.closeSync(out))
    socket.on('data', (chunk) => {
      fs.writeFileSync(out, chunk)
      hash.update(chunk)
      left -= chunk.length
      if (left > 0) return
      if (left < 0 || hash.digest('hex') !== sha256) return socket.destroy()
      fs.fsyncSync(out)
      fs.renameSync(draft, file)
      server.close()
      socket.end('ok')
    })
  })
  server.listen(${RECEIVING_PORT}, '127.0.0.1')
}
`

/**
 * JavaScript for `node -e`: puts the data that was made of the snapshot in the place of what is there, which it moves
 * aside. Cut off anywhere and begun again it ends the same way, and the data from before is whole under one of its names.
 */
export const PLACE_SCRIPT = `
const fs = require('node:fs')
const { VPLANE_VOLUME: volume, VPLANE_SHA256: sha256, VPLANE_FORMER: former } = process.env
const at = (name) => volume + '/' + name
const attempt = former + ' ' + sha256
const done = fs.existsSync(at('restored-of')) ? fs.readFileSync(at('restored-of'), 'utf8') : ''
if (done === attempt) {
  fs.rmSync(at('restored'), { recursive: true, force: true })
} else {
  if (fs.existsSync(at(former))) {
    fs.rmSync(at('data'), { recursive: true, force: true })
  } else if (fs.existsSync(at('data'))) {
    fs.renameSync(at('data'), at(former))
  } else {
    fs.mkdirSync(at(former))
  }
  fs.renameSync(at('restored'), at('data'))
  fs.writeFileSync(at('restored-of'), attempt)
}
`
