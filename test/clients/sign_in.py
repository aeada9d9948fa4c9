"""Web apps that let people sign in by Authlib, as its documentation says, and with PKCE switched on.

`/<client>/login` leads away, and `/<client>/cb` answers who came back, or why nobody did. Argument: `{ issuer, id,
secret }` as JSON. The process prints `{ origin }`.
"""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

os.environ['AUTHLIB_INSECURE_TRANSPORT'] = '1'

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

provider = json.loads(sys.argv[1])
found = requests.get(provider['issuer'] + '/.well-known/openid-configuration', timeout=10).json()
# What each app keeps of its one visitor.
kept = {}


def session(name):
    method = 'S256' if name == 'authlib' else None
    return OAuth2Session(
        provider['id'],
        provider['secret'],
        scope='openid email',
        redirect_uri=f'{origin}/{name}/cb',
        code_challenge_method=method,
    )


def begin(name):
    verifier = generate_token(48) if name == 'authlib' else None
    more = {'code_verifier': verifier} if verifier else {}
    url, state = session(name).create_authorization_url(found['authorization_endpoint'], **more)
    kept[name] = (state, more)
    return url


def finish(name, url):
    state, more = kept[name]
    query = parse_qs(urlsplit(url).query)
    # As Authlib's own integrations of Flask and Django do.
    if 'error' in query:
        raise OAuthError(error=query['error'][0], description=query.get('error_description', [''])[0])
    client = session(name)
    client.fetch_token(found['token_endpoint'], authorization_response=url, state=state, **more)
    return client.get(found['userinfo_endpoint'], timeout=10).json()


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        _, name, step = urlsplit(self.path).path.split('/')
        try:
            if step == 'login':
                self.send_response(302)
                self.send_header('Location', begin(name))
                self.end_headers()
                return
            self.answer(200, finish(name, origin + self.path))
        except Exception as error:
            self.answer(500, {'error': f'This app says: {error}'})

    def answer(self, status, body):
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(('127.0.0.1', 0), App)
origin = f'http://localhost:{server.server_address[1]}'
print(json.dumps({'origin': origin}), flush=True)
server.serve_forever()
