"""A witness and a verifier of checkpoints, written from the specifications alone: c2sp.org/signed-note, tlog-checkpoint, tlog-cosignature and
tlog-witness, RFC 6962 and RFC 8032. Only the standard library, and nothing of the product.

  reference.py serve  --name NAME --seed HEX --log VKEY
  reference.py verify --note FILE --log VKEY [--witness VKEY ...] [--lines FILE]
"""

import argparse
import base64
import hashlib
import json
import struct
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

# --- Ed25519, RFC 8032 section 5.1 -----------------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def sha512_int(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def x_of(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = x_of(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def added(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = added(result, point)
        point = added(point, point)
        scalar >>= 1
    return result


def same(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def packed(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def unpacked(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    x = x_of(y, sign) if y < P else None
    return None if x is None else (x, y, 1, x * y % P)


def expanded(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & ((1 << 254) - 8) | 1 << 254, digest[32:]


def public_key(seed):
    return packed(times(expanded(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = expanded(seed)
    key = packed(times(scalar, BASE))
    r = sha512_int(prefix, message) % L
    point = packed(times(r, BASE))
    s = (r + sha512_int(point, key, message) * scalar) % L
    return point + s.to_bytes(32, "little")


def verify(key, message, signature):
    if len(signature) != 64:
        return False
    a, r = unpacked(key), unpacked(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = sha512_int(signature[:32], key, message) % L
    return same(times(s, BASE), added(r, times(k, a)))


# --- Signed notes and checkpoints --------------------------------------------------------------------------------------

KEY, COSIGNER = 1, 4


def key_hash(name, algorithm, key):
    return hashlib.sha256(name.encode() + b"\n" + bytes([algorithm]) + key).digest()[:4]


def vkey_of(name, algorithm, key):
    material = base64.b64encode(bytes([algorithm]) + key).decode()
    return f"{name}+{key_hash(name, algorithm, key).hex()}+{material}"


class Verifier:
    def __init__(self, vkey):
        self.name, told, material = vkey.split("+", 2)
        data = base64.b64decode(material, validate=True)
        self.algorithm, self.key = data[0], data[1:]
        self.hash = key_hash(self.name, self.algorithm, self.key)
        if self.hash.hex() != told or len(self.key) != 32:
            raise ValueError("the key hash is not that of the key")

    def message(self, text, signature):
        """What the signature is over, and the signature itself; with its time where it has one."""
        if self.algorithm == KEY:
            return text, signature, None
        (moment,) = struct.unpack(">Q", signature[:8])
        return f"cosignature/v1\ntime {moment}\n".encode() + text, signature[8:], moment

    def check(self, note):
        """The time of the newest good signature, True for one without a time, None for none. Raises ValueError for a bad one."""
        found = None
        for name, data in note["signatures"]:
            if name != self.name or data[:4] != self.hash:
                continue
            message, signature, moment = self.message(note["text"], data[4:])
            if not verify(self.key, message, signature):
                raise ValueError(f"a signature of {name} is not good")
            found = True if moment is None else max(moment, found or 0)
        return found


def note_of(data):
    at = data.rfind(b"\n\n")
    if at < 0 or not data.endswith(b"\n"):
        raise ValueError("no note")
    signatures = []
    for line in data[at + 2 : -1].decode("utf-8").split("\n"):
        dash, name, encoded = line.split(" ")
        if dash != "\u2014":
            raise ValueError("no signature line")
        signatures.append((name, base64.b64decode(encoded, validate=True)))
    text = data[: at + 1]
    origin, size, root = text.decode("utf-8").split("\n")[:3]
    if not size.isascii() or not size.isdigit() or str(int(size)) != size:
        raise ValueError("no size")
    return {"text": text, "signatures": signatures, "origin": origin, "size": int(size), "root": base64.b64decode(root, validate=True)}


# --- The tree, RFC 6962 section 2.1 ------------------------------------------------------------------------------------


def node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def split_of(count):
    return 1 << (count - 1).bit_length() - 1


def root_of(leaves):
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = split_of(len(leaves))
    return node(root_of(leaves[:k]), root_of(leaves[k:]))


def is_consistent(old_size, old_root, size, root, proof):
    """By the definition of SUBPROOF: what it was made from is put together again."""
    rest = list(proof)

    def roots(m, n, known):
        if m == n:
            hashed = old_root if known else rest.pop(0)
            return hashed, hashed
        k = split_of(n)
        if m <= k:
            before, after = roots(m, k, known)
            return before, node(after, rest.pop(0))
        before, after = roots(m - k, n - k, False)
        left = rest.pop(0)
        return node(left, before), node(left, after)

    try:
        before, after = roots(old_size, size, True)
    except IndexError:
        return False
    return not rest and before == old_root and after == root


# --- The witness --------------------------------------------------------------------------------------------------------


class Witness:
    def __init__(self, name, seed, logs):
        self.name, self.seed, self.logs = name, seed, logs
        self.key = public_key(seed)
        self.heads, self.lock = {}, Lock()

    def answer(self, body):
        try:
            head, note_data = body.split(b"\n\n", 1)
            first, *lines = head.decode("ascii").split("\n")
            word, old = first.split(" ")
            if word != "old" or str(int(old)) != old or len(lines) > 63:
                raise ValueError("no old size")
            old = int(old)
            proof = [base64.b64decode(line, validate=True) for line in lines]
            note = note_of(note_data)
        except (ValueError, IndexError) as error:
            return 400, "text/plain", f"{error}\n"
        keys = [log for log in self.logs if log.name == note["origin"]]
        if not keys:
            return 404, "text/plain", "unknown origin\n"
        try:
            trusted = any(log.check(note) for log in keys)
        except ValueError:
            trusted = False
        if not trusted:
            return 403, "text/plain", "no signature by a known key\n"
        if old > note["size"]:
            return 400, "text/plain", "the old size is too large\n"
        with self.lock:
            size, root = self.heads.get(note["origin"], (0, hashlib.sha256(b"").digest()))
            if old != size or (old == note["size"] and root != note["root"]):
                return 409, "text/x.tlog.size", f"{size}\n"
            consistent = not proof if old == 0 else is_consistent(old, root, note["size"], note["root"], proof)
            if not consistent:
                return 422, "text/plain", "the proof is not good\n"
            self.heads[note["origin"]] = (note["size"], note["root"])
        moment = int(time.time())
        message = f"cosignature/v1\ntime {moment}\n".encode() + note["text"]
        data = key_hash(self.name, COSIGNER, self.key) + struct.pack(">Q", moment) + sign(self.seed, message)
        return 200, "text/plain", f"\u2014 {self.name} {base64.b64encode(data).decode()}\n"


def serve(options):
    logs = [Verifier(vkey) for vkey in options.log]
    witness = Witness(options.name, bytes.fromhex(options.seed), logs)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            status, kind, text = (
                witness.answer(body) if self.path == "/w/add-checkpoint" else (404, "text/plain", "no such path\n")
            )
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ready = {"url": f"http://127.0.0.1:{server.server_port}/w", "vkey": vkey_of(options.name, COSIGNER, witness.key)}
    print(json.dumps(ready), flush=True)
    server.serve_forever()


def check(options):
    with open(options.note, "rb") as file:
        note = note_of(file.read())
    said = {"origin": note["origin"], "size": note["size"], "root": base64.b64encode(note["root"]).decode()}
    said["log"] = any(log.name == note["origin"] and log.check(note) for log in map(Verifier, options.log))
    said["witnesses"] = {each.name: each.check(note) for each in map(Verifier, options.witness)}
    if options.lines:
        with open(options.lines, "rb") as file:
            leaves = file.read().split(b"\n")[:-1]
        said["contained"] = len(leaves) >= note["size"] and root_of(leaves[: note["size"]]) == note["root"]
    print(json.dumps(said))


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    serving = commands.add_parser("serve")
    serving.add_argument("--name", required=True)
    serving.add_argument("--seed", required=True)
    serving.add_argument("--log", action="append", required=True)
    serving.set_defaults(run=serve)
    checking = commands.add_parser("verify")
    checking.add_argument("--note", required=True)
    checking.add_argument("--log", action="append", required=True)
    checking.add_argument("--witness", action="append", default=[])
    checking.add_argument("--lines")
    checking.set_defaults(run=check)
    options = parser.parse_args()
    try:
        options.run(options)
    except ValueError as error:
        print(json.dumps({"error": str(error)}))
        sys.exit(1)


main()
