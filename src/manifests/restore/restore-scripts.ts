/** The port where the pod of an etcd member receives a snapshot, on loopback: only a port-forward reaches it. */
export const RECEIVING_PORT = 2399

/** The init container that receives the snapshot. */
export const RECEIVER = 'receive-snapshot'

/** The init container that replaces the data by the restored data. */
export const PLACER = 'place-data'

export interface RestoreEnvironment {
  /** Folder of the volume: the data is in `data` below it. */
  VPLANE_VOLUME: string
  VPLANE_SNAPSHOT: string
  /** SHA-256 of the snapshot, hexadecimal. */
  VPLANE_SHA256: string
  VPLANE_BYTES: string
  /** Name of the folder for the plane's current data. */
  VPLANE_FORMER: string
  /** What the data is created from, and replaces: data that the same attempt has placed stays. */
  VPLANE_ATTEMPT: string
}

/**
 * JavaScript for `node -e`: receives the snapshot over a connection, and ends when its SHA-256 is correct. Started
 * again, it needs no second copy. First it removes the data of earlier restores, to free space.
 */
export const RECEIVE_SCRIPT = `
const fs = require('node:fs')
const { createHash } = require('node:crypto')
const { VPLANE_VOLUME: volume, VPLANE_SNAPSHOT: file, VPLANE_SHA256: sha256, VPLANE_BYTES: bytes, VPLANE_FORMER: former } = process.env
for (const name of fs.readdirSync(volume)) {
  if (name === 'restored' || (/^(etcd|kine)-before-/.test(name) && name !== former)) {
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
 * JavaScript for `node -e`: replaces the current data by the restored data, and keeps the former data under another
 * name. It may be interrupted anywhere and started again: the former data is always complete under one of both names.
 */
export const PLACE_SCRIPT = `
const fs = require('node:fs')
const { VPLANE_VOLUME: volume, VPLANE_ATTEMPT: attempt, VPLANE_FORMER: former } = process.env
const at = (name) => volume + '/' + name
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

/** What the scripts for kine have in common: its file with those that sqlite has beside it, and moving them into a folder. */
const SQLITE_FILES = `
const fs = require('node:fs')
const { VPLANE_VOLUME: volume, VPLANE_FORMER: former } = process.env
const at = (name) => volume + '/' + name
const files = (folder) => fs.readdirSync(folder).filter((name) => name.startsWith('state.db'))
const remove = () => files(volume).forEach((name) => fs.rmSync(at(name)))
`

/**
 * JavaScript for `node -e`: as `PLACE_SCRIPT`, for a file of sqlite, which is in the volume itself. The files of the former
 * data are always complete in a folder of the name, or in the volume and the folder "aside" together.
 */
export const PLACE_SQLITE_SCRIPT = `${SQLITE_FILES}
const { VPLANE_SNAPSHOT: snapshot, VPLANE_ATTEMPT: attempt } = process.env
const done = fs.existsSync(at('restored-of')) ? fs.readFileSync(at('restored-of'), 'utf8') : ''
if (done !== attempt) {
  fs.rmSync(at('restored'), { recursive: true, force: true })
  fs.mkdirSync(at('restored'))
  fs.copyFileSync(snapshot, at('restored/state.db'))
  fs.chmodSync(at('restored/state.db'), 0o600)
  const copy = fs.openSync(at('restored/state.db'), 'r+')
  fs.fsyncSync(copy)
  fs.closeSync(copy)
  if (fs.existsSync(at(former))) {
    remove()
  } else {
    fs.mkdirSync(at('aside'), { recursive: true })
    files(volume).forEach((name) => fs.renameSync(at(name), at('aside/' + name)))
    fs.renameSync(at('aside'), at(former))
  }
  fs.renameSync(at('restored/state.db'), at('state.db'))
  fs.writeFileSync(at('restored-of'), attempt)
}
fs.rmSync(at('restored'), { recursive: true, force: true })
`

/** JavaScript for `node -e`: puts the former file of sqlite back. It may be interrupted anywhere and started again. */
export const PUT_BACK_SQLITE_SCRIPT = `${SQLITE_FILES}
fs.rmSync(at('restored-of'), { force: true })
if (fs.existsSync(at(former))) {
  remove()
  fs.renameSync(at(former), at('aside'))
}
if (fs.existsSync(at('aside'))) {
  files(at('aside')).forEach((name) => fs.renameSync(at('aside/' + name), at(name)))
  fs.rmdirSync(at('aside'))
}
`
