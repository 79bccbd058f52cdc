. ./env.sh
tt org create --name Third --json
A2=$(tt key create --org 3 --name k --scopes assets:read,assets:write,locations:read,locations:write,tracking:read,rules:admin --json | grep -o 'tt_[A-Za-z0-9_-]*')
VHH=$(tt handheld create --org 2 --name vh --json 2>/dev/null | grep -o 'th_[A-Za-z0-9_-]*')
( for x in "att 1" "vic 2" "att2 3"; do set -- $x; tt user create --email $1@example.com --name ${1^} --org $2 --role admin --json; done ) > users.txt
ARP=$(tt reader list --org 1 --json >/dev/null; echo)
python3 - "$A2" "$VHH" <<'P'
import json,sys
d=json.load(open('ids.json')); d['a2key']=sys.argv[1]; d['vhh']=sys.argv[2]
d['arp']='oBpJFLk1NZp_YYp3HcxWs70InKyHIuEr'; d['vrp']='Oidnj9r35Y2RtSpy8CqutsH8S509d8th'
json.dump(d,open('ids.json','w'))
P
N=node_modules/.bin/node
cd /work/attack38; /work/wt/broker/node_modules/.bin/node login.mjs
